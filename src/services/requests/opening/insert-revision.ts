import { usualCueTexts, type Cue, type StoredCue } from '#domain/policy/cues.ts'
import { together } from '#store/connection/side-by-side.ts'
import { toJsonb } from '#store/database.ts'
import type { StoredPresentation } from '../../core/host-queries.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { storable } from '#domain/text/encoding/storable-text.ts'
import { filesOf, filesToRecord } from './record-files.ts'

/** A revision of a request; `digest` is what people decide about. */
export interface RevisionOfRequest {
  readonly requestId: string
  readonly revision: number
  readonly digest: string
}

/**
 * The row of a revision, without its seal. `effect` is what it does, unless that is its title;
 * `cues` are its cues.
 */
export function revisionRow(of: RevisionOfRequest, presented: StoredPresentation) {
  const { title, effect, cues = [] } = presented
  return {
    request_id: of.requestId,
    revision: of.revision,
    title: storable(title),
    digest: of.digest,
    input_hash: presented.inputHash,
    facts: presented.facts,
    presentation_hash: presented.presentationHash,
    presentation_digest: presented.presentationDigest,
    content_hash: presented.contentHash,
    content_type: presented.contentType,
    effect: effect === undefined || effect === title ? null : storable(effect),
    cues: cues.length === 0 ? null : cues.map(storedCue),
  }
}

function storedCue({ id, text, line, file, onlyReaches }: Cue): StoredCue {
  return {
    id,
    ...(text === usualCueTexts[id] ? {} : { text: storable(text) }),
    ...(line === undefined ? {} : { line }),
    ...(file === undefined ? {} : { file: storable(file) }),
    ...(onlyReaches === undefined ? {} : { onlyReaches }),
  }
}

/**
 * Writes a sealed revision and the names of its files, in queries that are sent before the first
 * wait. `by`: whose edit made it, and why.
 */
export async function insertRevision(
  { tx, seals }: UnitOfWork,
  of: RevisionOfRequest,
  presented: StoredPresentation,
  by: { readonly editorId: string; readonly reasonHash: string | null } | null,
): Promise<void> {
  const row = {
    ...revisionRow(of, presented),
    ...(by !== null && { editor_id: by.editorId }),
  }
  const files = filesOf(of.requestId, presented)
  await together([
    tx
      .insertInto('request_revision')
      .values({
        ...row,
        facts: toJsonb(row.facts),
        cues: row.cues === null ? null : toJsonb(row.cues),
        reason_hash: by?.reasonHash ?? null,
        seal: seals.of('request_revision', row),
      })
      .execute(),
    ...(files.length === 0 ? [] : [filesToRecord(files).execute(tx)]),
  ])
}
