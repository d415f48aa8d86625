import { commitTrailers } from '#domain/tools/commit-identity.ts'

/**
 * The hooks in which Git permits changing a message, whatever the flags of a commit: `-n` skips
 * only the last one, which checks the editor's result.
 */
export const messageHooks = ['prepare-commit-msg', 'applypatch-msg', 'commit-msg'] as const

const names = commitTrailers.map((name) => name.toLowerCase()).join('|')

/**
 * Adds the lines of the file `trailers` next to it to a message. A new message that already has
 * such a line is refused; in one from another commit (amended, picked, rebased, applied) the lines
 * are replaced. Uses only bash and git, and runs no setting of the repository.
 */
export const messageHook = `#!/bin/bash -p
shopt -s nocasematch
file=$1 source=$2
trailers="\${BASH_SOURCE[0]%/*}/../trailers"
mapfile -t lines < "$file" || exit 1
if [ "\${0##*/}" = commit-msg ]; then
  found=()
  for line in "\${lines[@]}"; do
    [[ $line =~ ^(${names})[[:space:]]*: ]] && found+=("$line")
  done
  [ "$(printf '%s\\n' "\${found[@]}")" = "$(< "$trailers")" ] && exit 0
  echo 'countersign: the lines that the service adds to the message were changed. Leave them as they are.' >&2
  exit 1
fi
taken=no
[ "$source" = commit ] || [ "\${0##*/}" = applypatch-msg ] && taken=yes
for state in CHERRY_PICK_HEAD REVERT_HEAD rebase-merge rebase-apply; do
  [ -e "$(git rev-parse --git-path "$state")" ] && taken=yes
done
kept=() dropped=no
for line in "\${lines[@]}"; do
  if [[ $line =~ ^(${names})[[:space:]]*: ]]; then
    if [ "$taken" = no ]; then
      echo "countersign: the message has a line \\"\${BASH_REMATCH[1]}:\\", which the service writes itself. Leave it out." >&2
      exit 1
    fi
    dropped=yes
  elif [[ $dropped = yes && $line =~ ^[[:space:]]+[^[:space:]] ]]; then
    continue
  else
    dropped=no
    kept+=("$line")
  fi
done
# Where the message ends: before the comments that Git puts below it for an editor.
end=\${#kept[@]}
if [ "$source" != message ]; then
  for index in "\${!kept[@]}"; do
    [[ \${kept[index]} = '# '*'>8'* ]] && end=$index && break
  done
  while [ "$end" -gt 0 ] && [[ \${kept[end - 1]} = '#'* || \${kept[end - 1]} =~ ^[[:space:]]*$ ]]; do end=$((end - 1)); done
fi
while [ "$end" -gt 0 ] && [[ \${kept[end - 1]} =~ ^[[:space:]]*$ ]]; do end=$((end - 1)); done
# An empty message stays empty, and Git refuses it, unless an editor is to fill it.
[ "$end" -gt 0 ] || [ -z "$source" ] || [ "$source" = template ] || exit 0
start=$end block=yes
while [ "$start" -gt 0 ] && [[ ! \${kept[start - 1]} =~ ^[[:space:]]*$ ]]; do
  start=$((start - 1))
  [[ \${kept[start]} =~ ^([A-Za-z0-9-]+:[[:space:]]|[[:space:]]|'(cherry picked from commit ') ]] || block=no
done
[ "$start" -gt 0 ] || block=no
{
  if [ "$end" -gt 0 ]; then printf '%s\\n' "\${kept[@]:0:end}"; else echo; fi
  [ "$block" = yes ] || echo
  cat "$trailers"
  if [ "$end" -lt "\${#kept[@]}" ]; then printf '%s\\n' "\${kept[@]:end}"; fi
} > "$file.countersign" && cat "$file.countersign" > "$file" && rm -f "$file.countersign"
`
