import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { questionOf } from './question-of.ts'

/** The choices of a question; empty if it accepts any text. */
export function choicesOf({ presentation }: Pick<RequestDetail, 'presentation'>): string[] {
  const { choices } = presentation.metadata
  return Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'string') : []
}

/**
 * Whether the title and the choices are all that a question says, so that nothing more has to be
 * read to answer it. Pure.
 */
export function isWholeInTitle(request: Pick<RequestDetail, 'title' | 'presentation'>): boolean {
  const { content, truncated, warnings } = request.presentation
  const choices = choicesOf(request).map((choice, index) => `${index + 1}. ${choice}`)
  const whole = [questionOf(request), ...(choices.length === 0 ? [] : ['', ...choices]), '']
  return !truncated && warnings.length === 0 && content === whole.join('\n')
}
