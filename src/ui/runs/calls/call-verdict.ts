import type { TranscriptCall } from '#api/schemas/runs/transcript.ts'

/**
 * The verdict of policy on a call, with its rule: the text of most rules says the verdict itself.
 * Pure.
 */
export function callVerdict({ verdict, rule }: Pick<TranscriptCall, 'verdict' | 'rule'>): string {
  // The result says the rest.
  if (rule?.id === 'mode:strict') return 'denied by the mode “Strict”'
  switch (verdict) {
    case 'preApproved':
      return withRule('pre-approved', rule)
    case 'blocked':
      return withRule('blocked', rule)
    case 'ask':
      return rule?.text ?? 'asks'
    case 'error':
      return 'not a valid call'
    case null:
      return 'not judged yet'
  }
}

function withRule(word: string, rule: TranscriptCall['rule']): string {
  if (rule === null) return word
  return rule.text.endsWith(`is ${word}`) ? rule.text : `${word}: ${rule.text}`
}
