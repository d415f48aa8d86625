/** Sections whose names, chosen by the repository, bring in a program or a further file. */
const refused: Readonly<Record<string, string>> = {
  filter: 'the repository names a filter, a program that git would run',
  hook: 'the repository names a hook, a program that git would run',
  include: "the repository's configuration includes other files",
  includeif: "the repository's configuration includes other files",
  merge: 'the repository names a merge driver, a program that git would run',
  protocol: 'the repository allows protocols of its own, which are programs',
  trailer: 'the repository names a program for trailers',
}

/**
 * Why a repository's configuration keeps `git` from being pre-approved: what cannot be switched off by a setting given with
 * the call, because its name is the repository's own, or what brings in further files. `null`: nothing of the kind.
 */
export function gitConfigRefuses(text: string): string | null {
  // Wherever a section begins, also behind another one or on a line that goes on. `[merge]` alone names no driver.
  for (const [, name = '', mark] of text.matchAll(/\[\s*([A-Za-z0-9-]+)\s*(["'.]?)/g)) {
    const kind = name.toLowerCase()
    const isNamed = !['merge', 'protocol'].includes(kind) || mark !== ''
    if (isNamed && Object.hasOwn(refused, kind)) return refused[kind] ?? null
  }
  return /worktreeconfig/i.test(text)
    ? "the repository's configuration lies in a second file"
    : null
}
