/* Where blanks, words, strings and assignments begin and end in the text of a namelist.
 * SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

enum { NAME_AHEAD = 256 }; /* bytes to look ahead for the end of a name with its subscripts: keeps reading linear */

size_t nml_line_end(const struct nml_reader *rd, size_t at)
{
    while (at < rd->len && rd->text[at] != '\n' && rd->text[at] != '\r') at++;
    return at;
}

void nml_space_skip(struct nml_reader *rd)
{
    for (;;) {
        const int c = nml_byte(rd, rd->at);
        if (nml_is_space(c)) rd->at++;
        else if (c == '!') rd->at = nml_line_end(rd, rd->at);
        else return;
    }
}

size_t nml_blank_skip(const struct nml_reader *rd, size_t at)
{
    while (nml_is_blank(nml_byte(rd, at))) at++;
    return at;
}

size_t nml_word_end(const struct nml_reader *rd, size_t at)
{
    while (nml_is_letter(nml_byte(rd, at)) || nml_is_digit(nml_byte(rd, at))) at++;
    return at;
}

int nml_name_ahead(const struct nml_reader *rd, size_t at)
{
    const size_t stop = at + NAME_AHEAD;
    for (;;) {
        if (!nml_is_letter(nml_byte(rd, at)) || at >= stop) return 0;
        at = nml_blank_skip(rd, nml_word_end(rd, at));
        if (nml_byte(rd, at) == '(') {
            while (at < stop && nml_byte(rd, at) != ')' && nml_byte(rd, at) != -1 && nml_byte(rd, at) != '\n') at++;
            if (nml_byte(rd, at) != ')') return 0;
            at = nml_blank_skip(rd, at + 1);
        }
        if (nml_byte(rd, at) != '%') break;
        at++;
    }
    while (nml_is_space(nml_byte(rd, at))) at++;
    return nml_byte(rd, at) == '=';
}

int nml_dollar_end(const struct nml_reader *rd, size_t at)
{
    if (nml_byte(rd, at) != '$') return 0;
    for (size_t n = 0; n < 3; n++)
        if ((nml_byte(rd, at + 1 + n) | ('a' - 'A')) != "end"[n]) return 0;
    return nml_word_end(rd, at + 1) == at + 4;
}

size_t nml_token_end(const struct nml_reader *rd, size_t at, int is_wordy)
{
    if (nml_byte(rd, at) == '(') {
        const size_t stop = nml_line_end(rd, at);
        while (nml_byte(rd, at) != ')' && at < stop) at++;
        return at + (nml_byte(rd, at) == ')');
    }
    for (;; at++) {
        const int c = nml_byte(rd, at);
        if (c == '/' && is_wordy && !nml_is_end(nml_byte(rd, at + 1))) continue;
        if (nml_is_separator(c)) return at;
    }
}

size_t nml_string_end(const struct nml_reader *rd, size_t at)
{
    const int quote = nml_byte(rd, at++);
    for (;; at++) {
        const int c = nml_byte(rd, at);
        if (c == -1 || c == '\n' || c == '\r') return 0;
        if (c != quote) continue;
        if (nml_byte(rd, at + 1) != quote) return at + 1;
        at++;
    }
}

void nml_recover(struct nml_reader *rd, int stop_at_comma)
{
    for (;;) {
        const int c = nml_byte(rd, rd->at);
        if (c == -1 || c == '\n' || c == '\r' || c == '!' || c == '&') return;
        if (c == '/' && nml_is_end(nml_byte(rd, rd->at + 1))) return;
        if (c == ',' && stop_at_comma) return;
        if (nml_is_quote(c)) {
            const size_t end = nml_string_end(rd, rd->at);
            rd->at = end ? end : nml_line_end(rd, rd->at);
        } else if (nml_is_letter(c)) {
            if (nml_name_ahead(rd, rd->at)) return;
            rd->at = nml_word_end(rd, rd->at);
        } else {
            rd->at++;
        }
    }
}
