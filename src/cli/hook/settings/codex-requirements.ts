import { isObject } from '#domain/json/is-object.ts'

/**
 * The requirements that an administrator installs for Codex, in TOML: the hooks of these events run
 * in every folder without being trusted by a person, and no others run.
 */
export function codexRequirements(entries: Readonly<Record<string, object>>): string {
  const lines = ['allow_managed_hooks_only = true']
  for (const [event, entry] of Object.entries(entries)) {
    const hooks: unknown = Object.entries(entry).find(([name]) => name === 'hooks')?.[1]
    lines.push('', `[[hooks.${event}]]`)
    for (const hook of Array.isArray(hooks) ? hooks.filter(isObject) : []) {
      lines.push(`[[hooks.${event}.hooks]]`)
      // Every string of JSON is also a string of TOML.
      for (const [name, value] of Object.entries(hook))
        lines.push(`${name} = ${JSON.stringify(value)}`)
    }
  }
  return `${lines.join('\n')}\n`
}
