/**
 * Is an argument what `unlessArgs` names? Over-matches, since it keeps a rule from applying: `-o` also as `-oFILE` or in
 * `-xo`, `--output` also as `--output=FILE` or `--outp`, `-exec` also as the beginning of a longer word.
 */
export function isUnlessArgument(argument: string, entry: string): boolean {
  if (argument === entry) return true
  if (!entry.startsWith('-') || entry.length < 2) return argument.startsWith(`${entry}=`)
  if (!argument.startsWith('-')) return false
  if (entry.startsWith('--')) {
    const name = argument.split('=', 1)[0] ?? argument
    return name === entry || (name.length > 2 && name.startsWith('--') && entry.startsWith(name))
  }
  if (entry.length === 2) {
    return !argument.startsWith('--') && argument.includes(entry.slice(1))
  }
  return argument.startsWith(entry)
}
