# shellcheck shell=bash
# For tests/mutants.sh, which sets BUILD and $work and has `each` and $cores: faults in formulas, each seen by one Criterion test.
#
# tests/mutants/*.txt hold a mutant a line, fields set apart by ` | `; a line that begins with # is a comment:
#
#     file under src | name of the test that must fail | description | sed script, the rest of the line
#
# The mutated file lies in a directory of its own, which the compiler searches before src. Of what the test links when nothing is
# wrong, all that includes the file, by the .d files of the build, is compiled against it: objects of the program, helpers of
# tests, and the test; all else is linked from the build, and so is what calls no function of a header that is another.
# Tests run as forks of one process (tests/forks.c). Of the time of a mutant two thirds were Criterion's start of a process for every
# test, and what the compiler took to put formulas in place at -O0: there functions stay functions (-Dalways_inline=).
# A mutant is killed when the test fails, crashes or hangs. It is an error of the table when the script changes nothing, when
# the mutated source does not compile, or when the test fails without any fault. SPDX-License-Identifier: MIT

formula_file=() formula_test=() formula_what=() formula_edit=()

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
    local source=$1 text=$2 known=$work/known.${1//\//_} macros=
    shift 2
    if [[ $source == *.h ]]; then macros=-dD; fi
    if [ ! -e "$known" ]; then
        # shellcheck disable=SC2068 # the directory and -Isrc are two words
        ${formula_compile[@]} -E -P $macros "$source" -o "$text" && mv "$text" "$known" || return 1
    fi
    # shellcheck disable=SC2068
    ${@} -E -P $macros "$source" -o "$text" && cmp -s "$known" "$text"
}

# formula_reached DIR MADE...: the sources that see another text when files that are made change. A table of stages is in many files
# through one header, which defines what it takes of it, and takes little.
formula_reached() {
    local dir=$1 by
    shift
    while [ $# -gt 0 ]; do
        while read -r by; do
            case $by in
            *.def) set -- "$@" "${by#src/}" ;;
            *.h) [[ $1 == *.def ]] && formula_is_same "$by" "$dir/header.i" "${compiler[@]}" || echo "$by" ;;
            *) echo "$by" ;;
            esac
        done < <(grep -lF "#include \"$1\"" src/*/*.{c,h,def} tests/*.{c,h})
        shift
    done
}

# formula_touched OLD NEW: the functions that differ in two texts of a header, or * when anything else does, a macro in a function too
formula_touched() {
    awk 'FNR == 1 { side++; within = "" }
        within == "" && /^(static inline|SF_FORMULA|SF_POINT) [a-zA-Z0-9_ *]*[ *][a-z0-9_]+\(/ {
            within = $0
            sub(/\(.*/, "", within)
            sub(/.*[ *]/, "", within)
            rest[side] = rest[side] "\n" within
            begins = 1
            opened = 0
        }
        within == "" { rest[side] = rest[side] "\n" $0; next }
        {
            text[side, within] = text[side, within] "\n" $0
            is[within]
            if (/{/) opened = 1
            if (/^ *#/ || /\\$/ || (!opened && /;/)) odd[within]
            if (/^}/ || (begins && /}$/) || (!opened && /;$/)) within = ""
            begins = 0
        }
        END {
            if (side != 2 || rest[1] != rest[2]) { print "*"; exit }
            for (name in is) if (text[1, name] != text[2, name]) print name in odd ? "*" : name
        }' "$1" "$2"
}

# formula_calls OBJECT SOURCE: the file that names the inline functions that SOURCE has, as it is: those that it calls, by whatever way
formula_calls() {
    local known=$work/calls.${1//\//_}
    if [ ! -e "$known" ]; then
        "${formula_compile[@]}" -c "$2" -o "$dir/calls.o" && nm "$dir/calls.o" | sed -n 's/.* t //p' >"$dir/calls" &&
            mv "$dir/calls" "$known" || return 1
    fi
    echo "$known"
}

# formula_includes TEST SEEN: the objects that the test links, when nothing is wrong, whose source is or includes one of SEEN
formula_includes() {
    local known new=$work/includes.$BASHPID
    known=$work/includes.$1.$(cksum <<<"$2" | tr ' ' .) # names of many files are too long for that of one
    if [ ! -e "$known" ]; then
        grep -lE "(^| )($2)( |:|\$)" "$BUILD"/src/*/*.d "$BUILD"/tests/{support,toy}_*.d "$work/test_$1.d" 2>/dev/null | sed 's/\.d$/.o/' |
            grep -v '\.cu\.o$' | grep -xFf "$work/linked.$1" >"$new"
        mv "$new" "$known"
    fi
    cat "$known"
}

# formula_build DIR TEST [FILE]: DIR/killer, the test with what is in DIR/src in place of src/FILE
formula_build() {
    local dir=$1 test=$2 file=${3:-} o source made makes=() what model sheet sheets=() fresh=() kept=() changed=() seen touched='*' compiler=("${formula_compile[@]}")
    local trace=
    [ -n "$file" ] || trace=-Wl,--trace # what is linked when nothing is wrong is known from here
    [ -z "$file" ] || compiler=("${formula_compile[@]/#-Isrc/-I$dir/src -Isrc}")
    seen=src/$file
    if [[ $file == *.sf ]]; then # what is made of it takes its place
        model=dynamics/weather
        if [[ $file == maxwell/* ]]; then model=maxwell/waves; fi
        for sheet in $formula_sheets; do
            [[ $sheet == "src/${model%/*}/"* ]] || continue
            [ "$sheet" != "src/$file" ] || sheet=$dir/$sheet
            sheets+=("$sheet")
        done
        mkdir -p "$dir/src/${model%/*}"
        for made in "$BUILD/$model"_*.def "$BUILD/$model"_packs.h "$BUILD/${model%/*}"/*_made.h; do
            [ -e "$made" ] || continue # not every model has packs
            made=${made#"$BUILD/"}
            what=${made##*/}
            if [[ $made != *_made.h ]]; then what=${made#"${model}_"}; fi
            makes+=("$what=$dir/src/$made")
        done
        "$BUILD/stages_made" "${makes[@]}" "${sheets[@]}" || return 1
        for made in "${makes[@]}"; do
            made=${made#*="$dir/src/"}
            if cmp -s "$BUILD/$made" "$dir/src/$made"; then rm "$dir/src/$made"; else changed+=("$made"); fi
        done
        if [ ${#changed[@]} = 0 ]; then
            echo 'error: what is made stays as it is'
            return 1
        fi
        seen=$(formula_reached "$dir" "${changed[@]}" | sort -u | paste -sd '|')
    elif [[ $file == *.h ]]; then
        touched=$(formula_touched "src/$file" "$dir/src/$file")
    fi
    # Where the test takes long its loops are worth -O1.
    if [[ $file == *.c ]] && [ -s "$work/long.$test" ]; then compiler=("${compiler[@]/#-O0/-O1}"); fi
    if [ -n "$file" ]; then
        mapfile -t fresh < <(formula_includes "$test" "$seen")
        if [ ${#fresh[@]} = 0 ] && [[ $file != *.sf ]]; then
            echo 'error: nothing that the test links includes the file'
            return 1
        fi
    fi
    for o in $formula_always "$work/test_$test.o"; do
        [[ " ${fresh[*]} " == *" $o "* ]] || kept+=("$o")
    done
    for o in "${fresh[@]}"; do
        case $o in
        "$work"/*) source=tests/test_$test.c ;;
        *) source=${o#"$BUILD/"} source=${source%.o}.c ;;
        esac
        # An object that calls no function that is another stays as it is.
        if [[ $touched != *'*'* ]] && made=$(formula_calls "$o" "$source") && ! grep -qxF "$touched" "$made"; then
            kept+=("$o")
            continue
        fi
        [ "$source" != "src/$file" ] || source=$dir/$source
        made=$dir/${o//\//_} # models have files of one name
        if [[ $file == *.sf ]] && formula_is_same "$source" "$made.i" "${compiler[@]}"; then
            kept+=("$o")
            continue
        fi
        # shellcheck disable=SC2068 # the directory and -Isrc are two words
        ${compiler[@]} -c "$source" -o "$made" || return 1
        kept+=("$made")
    done
    # shellcheck disable=SC2086 # words
    $formula_link -fopenmp -pthread "${kept[@]}" "$work/objects.a" $formula_libs $quick_link $trace -o "$dir/killer" >"$dir/linked"
}

# The object of the test as the build has it, where nothing that it is made of is newer.
formula_object() { # TEST
    local o=$BUILD/tests/test_$1.o words
    if [ -e "$o" ] && [ -e "${o%.o}.d" ]; then
        mapfile -t words < <(tr -s ' \\\n' '\n' <"${o%.o}.d" | sed 's/:$//; /^$/d; /\.o$/d' | sort -u)
        if [ -z "$(find "$BUILD/flags.txt" "${words[@]}" -newer "$o" 2>&1)" ]; then
            cp "$o" "${o%.o}.d" "$work/"
            return
        fi
    fi
    "${formula_compile[@]}" -O1 -c "tests/test_$1.c" -o "$work/test_$1.o"
}

# The test as it is, with the sources as they are, must pass.
formula_base() {
    local dir=$work/base.$1
    mkdir -p "$dir"
    if ! formula_object "$1" >"$dir/log" 2>&1 || ! formula_build "$dir" "$1" >"$dir/log" 2>&1; then
        echo "test $1 does not build: $(grep -m 1 -E 'error|undefined' "$dir/log")"
        return 1
    fi
    if ! "$dir/killer" >"$dir/log" 2>&1; then
        echo "test $1 fails without a fault (is $BUILD up to date? make check TESTS=$1): $(grep -m 1 failed "$dir/log")"
        return 1
    fi
    # passed 0.053 suite/name
    sed -nE 's,^passed ([0-9]+\.[0-9]+) ([a-z0-9_]+/[a-z0-9_]+)$,\1 \2,p' "$dir/log" | sort -n >"$work/times.$1"
    awk '$1 >= 0.1' "$work/times.$1" >"$work/long.$1"
    : >"$work/kills.$1"
    grep -oE "($BUILD|$work)/[^()]*\.o" "$dir/linked" | sort -u >"$work/linked.$1"
    rm -rf "$dir"
}

# Exit code 0: the test found nothing; 1: it failed. All that the file holds runs until one fails: first what takes little time for
# each mutant that it has killed in this run. With the faulty file compiled in haste a test takes ten times as long as without.
formula_survives() { # DIR TEST
    local order rc=0
    mapfile -t order < <(awk 'FILENAME == ARGV[1] { kills[$1]++; next } { print (kills[$2] + 0.3) / ($1 + 0.005), $2 }' "$work/kills.$2" "$work/times.$2" |
        sort -rn | sed 's/.* //')
    "$1/killer" "${order[@]}" || rc=$?
    [ $rc != 1 ] || sed -n 's/^failed [0-9.]* //p' "$1/log" >>"$work/kills.$2"
    return $rc
}

# Leaves killed, survives, or what is wrong with the mutant in $work/formula.N.txt.
formula_try() {
    local dir=$work/formula.$1 file=${formula_file[$1]} said rc=0
    mkdir -p "$dir/src/${file%/*}"
    if ! sed "${formula_edit[$1]}" "src/$file" >"$dir/src/$file" 2>"$dir/log"; then
        said="not a sed script: $(head -n 1 "$dir/log")"
    elif cmp -s "src/$file" "$dir/src/$file"; then
        said='does not apply: the script changes nothing'
    elif ! formula_build "$dir" "${formula_test[$1]}" "$file" >"$dir/log" 2>&1; then
        said="does not build: $(grep -m 1 -E 'error|undefined' "$dir/log")"
    else
        formula_survives "$dir" "${formula_test[$1]}" >"$dir/log" 2>&1 || rc=$?
        case $rc in
        0) said=survives ;;
        1) said=killed ;;
        *) said="does not run: $(tail -n 1 "$dir/log")" ;;
        esac
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
    read -ra formula_compile <<<"$(sed 's/ | .*//; q' "$BUILD/flags.txt") -Itests -Dalways_inline= -O0 -w" # a mutant takes longer to build than to run
    formula_link=$(sed 's/ -std=.*//; q' "$BUILD/flags.txt") formula_libs=$(sed 's/.* | //; q' "$BUILD/link.txt")
    formula_sheets=$(make -s --no-print-directory print-sheets) || return 1
    # What a test does without is not linked. No one asks for the time limit of tests: it is always there.
    formula_always=$work/forks.o
    "${formula_compile[@]}" -c tests/forks.c -o "$formula_always" || return 1
    # shellcheck disable=SC2046 # files
    ar rcsT "$work/objects.a" $(printf '%s\n' "$BUILD"/src/*/*.o "$BUILD"/tests/{support,toy}_*.o | grep -v /support_timeout.o) || return 1
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
