/**
 * Why a repository's configuration keeps `git` from being pre-approved: what cannot be switched off by a setting given with
 * the call, because its name is the repository's own, or what brings in further files. `null`: nothing of the kind.
 */
export function gitConfigRefuses(text: string): string | null {
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*([^\]\s"]+)/.exec(line)?.[1]?.toLowerCase() ?? ''
    const [kind = ''] = section.split('.')
    if (kind === 'filter') return 'the repository names a filter, a program that git would run'
    if (kind === 'include' || kind === 'includeif')
      return "the repository's configuration includes other files"
    if (/worktreeconfig/i.test(line)) return "the repository's configuration lies in a second file"
    if (kind === 'trailer') return 'the repository names a program for trailers'
  }
  // A line that goes on, or a section behind another one, could hide one of these.
  return /\[\s*(?:filter|include|trailer)/i.test(text)
    ? 'the repository may name a program that git would run'
    : null
}
