import { hashBytes } from '../../domain/digest.ts'
import { effectSentence } from '../../domain/text/effect-sentence.ts'
import { maskSecrets } from '../../domain/text/secrets.ts'
import type { RequestFacts } from './happening.ts'

/** One line on the effect, with what looks like a secret masked. */
export function effectOf(request: Pick<RequestFacts, 'kind' | 'tool' | 'title'>): string {
  return effectSentence({ ...request, title: maskSecrets(request.title, hashBytes) })
}
