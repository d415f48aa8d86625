import { canonicalJson, hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Rule } from '#domain/policy/verdict.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import { packContents } from '#store/content/content.ts'
import { makePresentation } from '#tools/presentations/make-presentation.ts'
import { titleLine } from '#tools/presentations/structured.ts'
import type { PackedPresentation } from './store-presented.ts'

/** The rule that opens the check of an outcome. */
export const unknownOutcomeRule: Rule = {
  id: 'outcome:unknown',
  text: 'a started call whose end is not known',
  source: null,
}

/** What a check shows of a call. */
export interface CheckContent {
  /** the effect that the call should have had, as its request's title says it */
  readonly effect: string
  readonly lines: readonly string[]
  readonly metadata: JsonObject
  readonly inputHash: string
  readonly facts: CallFacts
}

/** The presentation of an outcome check, a text, for `storeContents`. */
export function packCheck(check: CheckContent): PackedPresentation {
  const { effect, lines, metadata, inputHash, facts } = check
  const presentation = makePresentation({
    type: 'text',
    language: null,
    content: [...lines, ''].join('\n'),
    metadata,
    warnings: [],
  })
  const contents = packContents([canonicalJson(presentation), presentation.content])
  const [presentationHash = '', contentHash = ''] = contents.hashes
  return {
    contents,
    presented: {
      title: titleLine(`Did this take effect? ${effect}`),
      inputHash,
      facts,
      factsDigest: hashJson(facts),
      presentationHash,
      presentationDigest: presentation.digest,
      contentHash,
      contentType: 'text/plain',
    },
  }
}
