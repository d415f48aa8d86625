import { canonicalJson, hashJson } from '#domain/json/digest.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { CallPresentation } from '#domain/tools/tool.ts'
import { packContents, storeContents, type PackedContents } from '#store/content/content.ts'
import type { Db, Tx } from '#store/database.ts'
import type { StoredPresentation } from '../../core/host-queries.ts'

/**
 * Stores the presentation of a call, and the canonical input it was computed from. `assumes`: see
 * `CallFacts`.
 */
export async function storePresented(
  db: Db | Tx,
  judgement: Judgement,
  presented: CallPresentation,
  assumes: number | null,
): Promise<StoredPresentation> {
  const packed = packPresented({ judgement, presented, assumes })
  await storeContents(db, [packed.contents])
  return packed.presented
}

/** The same before it is stored, with its contents by hash. */
export interface PackedPresentation {
  readonly presented: StoredPresentation
  readonly contents: PackedContents
}

/** Hashes and compresses the presentation of a call. Its contents are to be stored with it. */
export function packPresented({
  judgement,
  presented,
  assumes,
}: {
  readonly judgement: Judgement
  readonly presented: CallPresentation
  readonly assumes: number | null
}): PackedPresentation {
  const contents = packContents([
    canonicalJson(judgement.input),
    canonicalJson(presented.presentation),
    presented.content,
    ...(presented.named ?? []),
  ])
  const [inputHash = '', presentationHash = '', contentHash = '', ...fileHashes] = contents.hashes
  const facts = {
    ...presented.facts,
    toolHash: judgement.toolHash,
    ...(assumes === null ? {} : { assumes }),
  }
  return {
    contents,
    presented: {
      title: presented.title,
      ...headlineOf(presented),
      inputHash,
      facts,
      factsDigest: hashJson(facts),
      presentationHash,
      presentationDigest: presented.presentation.digest,
      contentHash,
      contentType: presented.contentType,
      ...(fileHashes.length === 0 ? {} : { fileHashes }),
    },
  }
}

/** The parts of a presentation besides the title that a revision stores. */
function headlineOf({
  effect,
  cues,
}: CallPresentation): Pick<StoredPresentation, 'effect' | 'cues'> {
  return {
    ...(effect === undefined ? {} : { effect }),
    ...(cues === undefined ? {} : { cues }),
  }
}
