/**
 * What a request is about, in one line: its effect. A question and an outcome check say it in their
 * titles: the effect of an answer says less. Pure.
 */
export function requestHeadline(request: {
  readonly kind: string
  readonly title: string
  readonly effect: string
}): string {
  const { kind, title, effect } = request
  return kind === 'question' || kind === 'outcome_check' ? title : effect
}
