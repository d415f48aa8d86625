import type { Choices } from './seeded.ts'

/** A shell construct that carries a command to where it runs. */
type Wrap = (script: string) => string

/** As one word in single quotes. */
export const inQuotes: Wrap = (script) => `'${script.replaceAll("'", String.raw`'\''`)}'`

/** As one word in the quotes of `$'…'`, every character by its number. */
export const inNumbers: Wrap = (script) =>
  `$'${[...script].map((one) => `\\x${one.charCodeAt(0).toString(16)}`).join('')}'`

/** As one word in `$"…"`, with what double quotes leave its meaning escaped. */
const inLocale: Wrap = (script) => `$"${script.replace(/[$`"\\]/g, '\\$&')}"`

/** Around a whole script, which the text spells out. */
export const scriptConstructs: readonly Wrap[] = [
  // select, case and loops
  (script) => `select i in a; do ${script}\nbreak; done <<< 1`,
  (script) => `case a in a) :;& b) ${script}\n;; esac`,
  (script) => `case a in (b|a) ${script}\n;;& c) ls;; esac`,
  (script) => `case $(${script}\n) in *) :;; esac`,
  (script) => `case x in $(${script}\n)) :;; *) :;; esac`,
  (script) => `until ${script}\ntrue; do :; done`,
  (script) => `for ((i = 0; i < 1; i++)); do ${script}\ndone`,
  (script) => `for i in $(${script}\n); do :; done`,
  (script) => `if false; then :; elif ${script}\nthen :; fi`,
  (script) => `g() { ${script}\n}; f() { g; }; f`,
  (script) => `function f ( ${script}\n); f`,
  // here-strings, here-documents and what reads them
  (script) => `sh <<< ${inQuotes(script)}`,
  (script) => `cat <<< "$(${script}\n)"`,
  (script) => `cat <<< \`${script.replace(/[`\\]/g, '\\$&')}\n\``,
  (script) => `bash -s x <<< ${inQuotes(script)}`,
  (script) => `cat <<'E' | bash\n${script}\nE`,
  // process substitution
  (script) => `bash <(echo ${inQuotes(script)})`,
  (script) => `source <(cat <<'E'\n${script}\nE\n)`,
  (script) => `. <(printf '%s\\n' ${inQuotes(script)})`,
  (script) => `cat < <(${script}\n)`,
  (script) => `cat <<< ${inQuotes(script)} > >(bash); wait $!`,
  // arithmetic
  (script) => `echo $(($(${script}\necho 1) + 1))`,
  (script) => `((x = $(${script}\necho 1)))`,
  (script) => `echo $[$(${script}\necho 1)]`,
  (script) => `a[$(${script}\necho 0)]=x`,
  (script) => `for ((; $(${script}\necho 0); )); do :; done`,
  (script) => `: "\${HOME:$(${script}\necho 0)}"`,
  // tests
  (script) => `[[ a =~ $(${script}\n) ]]`,
  (script) => `[[ 1 -eq $(${script}\necho 1) ]]`,
  (script) => `[[ -n a && -z $(${script}\n) ]]`,
  (script) => `test "$(${script}\n)"`,
  // arrays and assignments
  (script) => `a=($(${script}\n))`,
  (script) => `declare -A m=([x]=$(${script}\n))`,
  (script) => `local_=$(${script}\n) ls`,
  (script) => `export X=$(${script}\n)`,
  (script) => `a=(${inQuotes(script)}); eval "\${a[0]}"`,
  (script) => `IFS=$(${script}\n) ls`,
  // redirections of exec
  (script) => `exec 3<<< ${inQuotes(script)}; . /dev/fd/3`,
  (script) => `exec 3< <(echo ${inQuotes(script)}); bash <&3`,
  (script) => `exec 3>/dev/null; ${script} >&3`,
  (script) => `exec > /dev/null\n${script}`,
  (script) => `ls > /dev/null$(${script}\n)`,
  // traps
  (script) => `trap ${inQuotes(script)} DEBUG; :`,
  (script) => `trap ${inQuotes(script)} ERR; false`,
  (script) => `f() { trap ${inQuotes(script)} RETURN; }; f`,
  (script) => `trap -- ${inQuotes(script)} 0`,
  // coprocesses
  (script) => `coproc X { (${script}\n) < /dev/null\n}; wait`,
  (script) => `coproc bash -c ${inQuotes(script)} < /dev/null; wait`,
  // aliases
  (script) => `shopt -s expand_aliases\nalias x=${inQuotes(script)}\nx`,
  // quotes of other kinds
  (script) => `eval ${inNumbers(script)}`,
  (script) => `bash -c ${inNumbers(script)}`,
  (script) => `eval ${inLocale(script)}`,
  (script) => `bash -c ${inLocale(script)}`,
  (script) => `eval "\${x:-${script.replace(/[$`"\\}]/g, '\\$&')}}"`,
  (script) => `eval "$(cat <<'E'\n${script}\nE\n)"`,
  (script) => `{bash,-c,${inQuotes(script)}}`,
  (script) => `eval {${inQuotes(script)},}`,
]

const stacked = [
  'env',
  'env A=b',
  'command',
  'nohup',
  'nice -n 5',
  'timeout 5',
  'timeout -k 1 5',
  'setsid -w',
  'stdbuf -o0',
  'xargs',
  'xargs -n 9',
]

/** Two or three wrappers on top of each other; some of them only do what one of them says. */
export function behindWrappers(choices: Choices, vector: string): string {
  const wrappers = Array.from({ length: 2 + choices.number(2) }, () => choices.one(stacked))
  return [...wrappers, vector].join(' ')
}

/** Around a vector of plain words, which the text spells out. */
export const vectorConstructs: readonly Wrap[] = [
  (vector) => `a=(); a+=(${vector}); "\${a[@]}"`,
  (vector) => `declare -a a=(${vector}); \${a[*]}`,
  (vector) => `IFS=' '; x='${vector}'; $x`,
  (vector) => `alias x='${vector}'\nshopt -s expand_aliases\nx`,
  (vector) => `read -r x <<< '${vector}'; $x`,
  (vector) => `read -ra x <<< '${vector}'; "\${x[@]}"`,
  (vector) => `mapfile -t x <<< '${vector}'; \${x[0]}`,
  (vector) => `xargs env <<< '${vector}'`,
  (vector) => `env xargs -n 9 env <<< '${vector}'`,
  (vector) => `timeout 5 xargs env < <(command echo '${vector}')`,
  (vector) => `printf -v x %s '${vector}'; $x`,
  (vector) => `{${vector.replaceAll(' ', ',')}}`,
  (vector) => `~/../bin/${vector}`,
  (vector) => `while read -r x; do $x; done <<< '${vector}'`,
  (vector) => `select x in '${vector}'; do $x; break; done <<< 1`,
  (vector) => `for x in '${vector}'; do $x; done`,
  (vector) => `case '${vector}' in *) ${vector};; esac`,
]

/** The same, where only a run tells what the text comes to. */
export const unknowableConstructs: readonly Wrap[] = [
  (vector) =>
    `shopt -s expand_aliases\nalias x='${vector.split(' ')[0]}'\nx ${vector.split(' ').slice(1).join(' ')}`,
  (vector) => `x='${vector}'; y=x; \${!y}`,
  (vector) => `IFS=_; x=${vector.replaceAll(' ', '_')}; $x`,
  (vector) => `x='${[...vector].toReversed().join('')}'; $(rev <<< "$x")`,
  (vector) => `x='${vector.replaceAll('s', 'S')}'; \${x,,}`,
  (vector) => `x='_${vector}_'; y=\${x#_}; \${y%_}`,
  (vector) => `x='${vector.replaceAll('r', '@').replaceAll('p', '%')}'; x=\${x//@/r}; \${x//%/p}`,
  (vector) => `x='ab${vector}'; \${x:2}`,
  (vector) => `eval "$(printf '${octal(vector)}')"`,
  (vector) => `printf -v x '${octal(vector)}'; $x`,
  (vector) => `rev <<< '${[...vector].toReversed().join('')}' | xargs env`,
  (vector) => `read -r x < <(rev <<< '${[...vector].toReversed().join('')}'); $x`,
  (vector) => `declare -n y=x; y='${vector.replaceAll(' ', '_')}'; IFS=_; $x`,
]

/** Every character as a backslash and three octal digits, for `printf` and `$'…'`. */
export function octal(text: string): string {
  return [...text].map((one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')
}
