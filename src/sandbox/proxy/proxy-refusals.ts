import { errorCode } from '#domain/error-code.ts'
import { TargetRefused } from './judge-target.ts'

/** More refusals are reported to the command only. */
const maxRefusals = 20

/** What a proxy refused, each sentence once, in order. */
export class ProxyRefusals {
  readonly #sentences = new Set<string>()

  /** The status and the body that a command gets for an error. A refusal is added to the list. */
  answerTo(error: unknown): { readonly status: number; readonly body: string } {
    const isRefusal = error instanceof TargetRefused
    const sentence = isRefusal
      ? error.message
      : `The connection failed (${errorCode(error) ?? 'no answer'}).`
    if (isRefusal && this.#sentences.size < maxRefusals) this.#sentences.add(sentence)
    return { status: isRefusal ? 403 : 502, body: `countersign: ${sentence}\n` }
  }

  list(): readonly string[] {
    return [...this.#sentences]
  }
}

export const malformed = 'This proxy takes CONNECT HOST:PORT and http:// addresses only.'
