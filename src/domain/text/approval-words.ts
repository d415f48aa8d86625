import type { Scope } from '../policy/verdict.ts'

/** Who approved a call, as clients get it. */
export interface NamedApproval {
  readonly by: readonly { readonly name: string }[]
  readonly scope: Scope
  readonly number: number
  readonly remembered: boolean
}

/** How far an approval goes, in words; nothing for one call. */
export const reachWords: Readonly<Record<Scope, string>> = {
  once: '',
  run: 'for the run',
  path: 'for the file',
  command: 'for the command',
}

/**
 * Who approved a call of a tool and for how long, in words. Who answers a question approves nothing
 * (product.md 30). Pure.
 *
 * @example "approved by Grace"; "by Grace's approval of #12, for the file"; "answered by Ada"
 */
export function approvalSentence(tool: string, approval: NamedApproval): string {
  const { by, scope, number, remembered } = approval
  const names = by.map(({ name }) => name).join(' and ')
  if (tool === 'ask_person') return `answered by ${names}`
  const who = remembered ? `by ${names}'s approval of #${number}` : `approved by ${names}`
  return [who, reachWords[scope]].filter(Boolean).join(', ')
}
