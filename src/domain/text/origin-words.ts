/** Where a program claims to work, as far as sentences need it. */
interface ReportedOrigin {
  readonly program: string
  readonly version?: string | undefined
  readonly host: string
  readonly proved: boolean
}

/** "Claude Code 2.1.0 on laptop". The program's own words: escape them. Pure. */
export function programSentence({ host, program, version }: ReportedOrigin): string {
  return `${program}${version === undefined ? '' : ` ${version}`} on ${host}`
}

/** What the service itself knows about the origin. Pure. */
export function provedSentence({ proved }: ReportedOrigin): string {
  return proved
    ? 'proved: this folder is in the workspace, on its host'
    : 'not proved: no file of the workspace was read or is shown'
}

/** "git@example.com:shop.git at 3f2a…, with changes that are not committed". Escape it. Pure. */
export function gitSentence(git: {
  readonly remote: string | null
  readonly commit: string | null
  readonly dirty: boolean | null
}): string {
  const commit = git.commit === null ? 'no commit' : git.commit
  const words = git.remote === null ? commit : `${git.remote} at ${commit}`
  if (git.dirty === null) return `${words}, changes not known`
  return git.dirty
    ? `${words}, with changes that are not committed`
    : `${words}, no tracked file has changed`
}
