import type { ProjectConfig } from '#policy/project-config.ts'

/** Whether the configuration names this address. */
export function isNamed(config: ProjectConfig, email: string): boolean {
  return config.people.some((person) => person.email === email)
}

/**
 * Whether it is an earlier address of somebody whom the configuration names by another one. No
 * second person is made for such an address (product.md 17).
 */
export function isFormer(config: ProjectConfig, email: string): boolean {
  return config.people.some(({ formerly = [] }) => formerly.includes(email))
}
