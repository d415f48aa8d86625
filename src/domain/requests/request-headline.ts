/**
 * A request in one line: its effect. For a question and an outcome check it is the title, which
 * says more than the effect of an answer. Pure.
 */
export function requestHeadline(request: {
  readonly kind: string
  readonly title: string
  readonly effect: string
}): string {
  const { kind, title, effect } = request
  return kind === 'question' || kind === 'outcome_check' ? title : effect
}
