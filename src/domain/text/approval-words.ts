import type { Scope } from '../policy/verdict.ts'

/** Whose approval a call has, as clients are told. */
export interface NamedApproval {
  readonly by: readonly { readonly name: string }[]
  readonly scope: Scope
  readonly number: number
  readonly remembered: boolean
}

const reach: Readonly<Record<Scope, string>> = {
  once: '',
  run: ', for the run',
  path: ', for the file',
  command: ', for the command',
}

/**
 * Who approved a call and for how long, in words. Pure.
 *
 * @example "approved by Grace, for the run"; "by Grace's approval of #12"
 */
export function approvalSentence({ by, scope, number, remembered }: NamedApproval): string {
  const names = by.map(({ name }) => name).join(' and ')
  return remembered ? `by ${names}'s approval of #${number}` : `approved by ${names}${reach[scope]}`
}
