import { canonicalJson, hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Rule } from '#domain/policy/verdict.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import { putContent } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import { makePresentation } from '#tools/presentations/make-presentation.ts'
import { titleLine } from '#tools/presentations/structured.ts'
import type { StoredPresentation } from '../../core/host-queries.ts'

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

/** Stores the presentation of an outcome check: a text. */
export async function storeCheck(tx: Tx, check: CheckContent): Promise<StoredPresentation> {
  const { effect, lines, metadata, inputHash, facts } = check
  const presentation = makePresentation({
    type: 'text',
    language: null,
    content: [...lines, ''].join('\n'),
    metadata,
    warnings: [],
  })
  return {
    title: titleLine(`Did this take effect? ${effect}`),
    inputHash,
    facts,
    factsDigest: hashJson(facts),
    presentationHash: await putContent(tx, canonicalJson(presentation)),
    presentationDigest: presentation.digest,
    contentHash: await putContent(tx, presentation.content),
    contentType: 'text/plain',
  }
}
