# shellcheck shell=bash
# For tests/mutants.sh, which sets BUILD and $work and has `each` and $cores: faults in formulas, each seen by one Criterion test.
#
# tests/mutants/*.txt hold a mutant a line, fields set apart by ` | `; a line that begins with # is a comment:
#
#     file under src | name of the test that must fail | description | sed script, the rest of the line
#
# The mutated file lies in a directory of its own, which the compiler searches before src. Of what the test links when nothing is
# wrong, all that includes the file, by the .d files of the build, is compiled against it: objects of the program, helpers of
# tests, and the test; all else is linked from the build.
# A mutant is killed when the test fails, crashes or hangs. It is an error of the table when the script changes nothing, when
# the mutated source does not compile, or when the test fails without any fault. SPDX-License-Identifier: MIT

formula_file=() formula_test=() formula_what=() formula_edit=()
quick_link=$(command -v ld.gold >/dev/null && echo -fuse-ld=gold) # a quarter of the time of the usual linker

# formulas_read WORDS: the tables' lines whose file, test or description has these words
formulas_read() {
    local table line number fields file test what edit blank
    for table in tests/mutants/*.txt; do
        number=0
        while IFS= read -r line || [ -n "$line" ]; do
            number=$((number + 1))
            blank=${line//[[:space:]]/}
            if [ -z "$blank" ] || [ "${blank:0:1}" = '#' ]; then continue; fi
            fields=${line//[^|]/}
            file=${line%%|*} line=${line#*|} test=${line%%|*} line=${line#*|} what=${line%%|*} edit=${line#*|}
            read -r file <<<"$file"
            read -r test <<<"$test"
            read -r what <<<"$what"
            edit=${edit#"${edit%%[![:space:]]*}"}
            if [ ${#fields} -lt 3 ] || [ ! -f "src/$file" ] || [ ! -f "tests/test_$test.c" ] || [ -z "$what" ] || [ -z "$edit" ]; then
                echo "$table:$number: no mutant: file under src | name of a test | description | sed script"
                return 1
            fi
            [[ "$file $test $what" == *"$1"* ]] || continue
            formula_file+=("$file") formula_test+=("$test") formula_what+=("$what") formula_edit+=("$edit")
        done <"$table"
    done
}

# formula_is_same SOURCE TEXT COMPILER...: a table of stages is in many files of which few take the part that is faulty: what is
# left of SOURCE behind the preprocessor, TEXT, is what it was.
formula_is_same() {
    local source=$1 text=$2 known=$work/known.${1//\//_}
    shift 2
    if [ ! -e "$known" ]; then
        # shellcheck disable=SC2068 # the directory and -Isrc are two words
        ${formula_compile[@]} -E -P "$source" -o "$text" && mv "$text" "$known" || return 1
    fi
    # shellcheck disable=SC2068
    ${@} -E -P "$source" -o "$text" && cmp -s "$known" "$text"
}

# formula_build DIR TEST [FILE]: DIR/killer, the test with what is in DIR/src in place of src/FILE
formula_build() {
    local dir=$1 test=$2 file=${3:-} o source made what model sheet sheets=() fresh=() kept=() again compiler=("${formula_compile[@]}")
    local how=-Wl,--trace # what is linked when nothing is wrong is known from here
    [ -z "$file" ] || how=$quick_link
    if [[ $file == *.sf ]]; then # what is made of it takes its place
        model=dynamics/weather
        if [[ $file == maxwell/* ]]; then model=maxwell/waves; fi
        for sheet in $formula_sheets; do
            [[ $sheet == "src/${model%/*}/"* ]] || continue
            [ "$sheet" != "src/$file" ] || sheet=$dir/$sheet
            sheets+=("$sheet")
        done
        file=
        mkdir -p "$dir/src/${model%/*}"
        for made in "$BUILD/$model"_*.def "$BUILD/${model%/*}"/*_made.h; do
            made=${made#"$BUILD/"}
            what=${made##*/}
            if [[ $made == *.def ]]; then what=${made#"${model}_"}; fi
            "$BUILD/stages_made" "$what" "${sheets[@]}" >"$dir/src/$made" || return 1
            if cmp -s "$BUILD/$made" "$dir/src/$made"; then rm "$dir/src/$made"; else file+=${file:+|}$made; fi
        done
        if [ -z "$file" ]; then
            echo 'error: what is made stays as it is'
            return 1
        fi
        file="($file)"
    fi
    [ -z "$file" ] || compiler=("${formula_compile[@]/#-Isrc/-I$dir/src -Isrc}")
    # Where the test takes long its loops are worth -O1.
    if [[ $file == *.c ]] && [ -s "$work/long.$test" ]; then compiler=("${compiler[@]/#-O0/-O1}"); fi
    again=$([ -z "$file" ] || grep -lE "(^| )(src|build/[^ ]*)/$file( |:|\$)" "$BUILD"/src/*/*.d "$BUILD"/tests/{support,toy}_*.d "$work/test_$test.d" 2>/dev/null)
    for o in $formula_always "$work/test_$test.o"; do
        [[ $'\n'$again$'\n' == *$'\n'${o%.o}.d$'\n'* ]] || kept+=("$o")
    done
    for o in $again; do
        o=${o%.d}.o
        [[ $o != *.cu.o ]] || continue
        [ ! -e "$o" ] || ! grep -qxF "$o" "$work/linked.$test" || fresh+=("$o")
    done
    if [ -n "$file" ] && [ ${#fresh[@]} = 0 ]; then
        echo 'error: nothing that the test links includes the file'
        return 1
    fi
    for o in "${fresh[@]}"; do
        case $o in
        "$work"/*) source=tests/test_$test.c ;;
        *) source=${o#"$BUILD/"} source=${source%.o}.c ;;
        esac
        [ "$source" != "src/$file" ] || source=$dir/$source
        made=$dir/${o//\//_} # models have files of one name
        if [[ $file == \(* ]] && formula_is_same "$source" "$made.i" "${compiler[@]}"; then
            kept+=("$o")
            continue
        fi
        # shellcheck disable=SC2068 # the directory and -Isrc are two words
        ${compiler[@]} -c "$source" -o "$made" || return 1
        kept+=("$made")
    done
    # shellcheck disable=SC2086 # words
    $formula_link -fopenmp -pthread "${kept[@]}" "$work/objects.a" -lcriterion $formula_libs $how -o "$dir/killer" >"$dir/linked"
}

# The test as it is, with the sources as they are, must pass.
formula_base() {
    local dir=$work/base.$1
    mkdir -p "$dir"
    if ! "${formula_compile[@]}" -O1 -c "tests/test_$1.c" -o "$work/test_$1.o" >"$dir/log" 2>&1 || ! formula_build "$dir" "$1" >"$dir/log" 2>&1; then
        echo "test $1 does not build: $(grep -m 1 -E 'error|undefined' "$dir/log")"
        return 1
    fi
    if ! timeout -k 2 120 "$dir/killer" --jobs 1 --verbose --color=never >"$dir/log" 2>&1; then
        echo "test $1 fails without a fault (is $BUILD up to date? make check TESTS=$1): $(grep -m 1 -E 'FAIL|CRASH|ERR' "$dir/log")"
        return 1
    fi
    # [PASS] suite::name: (0.53s)
    sed -nE 's,^\[PASS\] ([a-z0-9_]+)::([a-z0-9_]+): \(([0-9]+\.[1-9].|[1-9][0-9]*\..*)s\),\3 \1/\2,p' "$dir/log" | sort -n | sed 's/.* //' >"$work/long.$1"
    grep -oE "($BUILD|$work)/[^()]*\.o" "$dir/linked" >"$work/linked.$1"
    rm -rf "$dir"
}

# Exit code 0: the test found nothing. What takes long comes by itself behind all that does not, the longest last: with the faulty
# file compiled in haste it takes ten times as long.
formula_survives() { # DIR TEST
    local long one rest
    mapfile -t long <"$work/long.$2"
    rest='*' # a pattern of nothing is none, and every mutant would seem killed
    [ ${#long[@]} = 0 ] || rest="!($(IFS='|' && echo "${long[*]}"))"
    for one in "$rest" "${long[@]}"; do
        timeout -k 2 120 "$1/killer" --jobs 1 --fail-fast --filter "$one" || return 1
    done
}

# Leaves killed, survives, or what is wrong with the mutant in $work/formula.N.txt.
formula_try() {
    local dir=$work/formula.$1 file=${formula_file[$1]} said
    mkdir -p "$dir/src/${file%/*}"
    if ! sed "${formula_edit[$1]}" "src/$file" >"$dir/src/$file" 2>"$dir/log"; then
        said="not a sed script: $(head -n 1 "$dir/log")"
    elif cmp -s "src/$file" "$dir/src/$file"; then
        said='does not apply: the script changes nothing'
    elif ! formula_build "$dir" "${formula_test[$1]}" "$file" >"$dir/log" 2>&1; then
        said="does not build: $(grep -m 1 -E 'error|undefined' "$dir/log")"
    elif formula_survives "$dir" "${formula_test[$1]}" >"$dir/log" 2>&1; then
        said=survives
    else
        said=killed
    fi
    echo "$said" >"$work/formula.$1.txt"
    rm -rf "$dir"
}

# formulas_plant WORDS: sets formulas_tried and formulas_killed and names those that were not killed; 1: a table or the build is at fault
formulas_plant() {
    local n
    formulas_tried=0 formulas_killed=0
    formulas_read "$1" || return 1
    if [ ${#formula_file[@]} = 0 ]; then return 0; fi
    if ! ls "$BUILD"/tests/support_*.o >/dev/null 2>&1; then
        echo "$BUILD has no helpers of tests: make check TESTS=grid builds them"
        return 1
    fi
    read -ra formula_compile <<<"$(sed 's/ | .*//; q' "$BUILD/flags.txt") -Itests -O0 -w" # a mutant takes longer to build than to run
    formula_link=$(sed 's/ -std=.*//; q' "$BUILD/flags.txt") formula_libs=$(sed 's/.* | //; q' "$BUILD/link.txt")
    formula_sheets=$(make -s --no-print-directory print-sheets) || return 1
    # What a test does without is not linked. No one asks for the time limit of tests: it is always there.
    formula_always=$BUILD/tests/support_timeout.o
    ar rcsT "$work/objects.a" $(printf '%s\n' "$BUILD"/src/*/*.o "$BUILD"/tests/{support,toy}_*.o | grep -vxF "$formula_always") || return 1
    # shellcheck disable=SC2046 # names of tests
    each "$cores" formula_base $(printf '%s\n' "${formula_test[@]}" | sort -u) || return 1
    each "$cores" formula_try "${!formula_file[@]}"
    for n in "${!formula_file[@]}"; do
        formulas_tried=$((formulas_tried + 1))
        if [ "$(cat "$work/formula.$n.txt")" = killed ]; then
            formulas_killed=$((formulas_killed + 1))
        else
            echo "${formula_file[n]}, test ${formula_test[n]}: ${formula_what[n]}: $(cat "$work/formula.$n.txt")"
        fi
    done
}
