import type { ProjectConfig } from './project-config.ts'

/**
 * The environment variables that countersign.yaml names for secrets of the service: keys of models,
 * tokens, passwords and signing secrets. Members with such a name end in `From`.
 */
export function secretVariables(config: ProjectConfig): ReadonlySet<string> {
  const names = new Set<string>()
  collect(config, names)
  return names
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  if (value instanceof Map || value instanceof Set || Array.isArray(value)) {
    for (const member of value.values()) collect(member, names)
    return
  }
  for (const [key, member] of Object.entries(value)) {
    if (key.endsWith('From') && typeof member === 'string') names.add(member)
    else collect(member, names)
  }
}
