import type { Selectable } from 'kysely'
import type { Presentation } from '#domain/tools/presentation.ts'
import { Problem } from '#domain/problem.ts'
import { getContent, getText } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { aboutRequest } from '../ending/end-request.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { refuseErased } from '../words/erased-requests.ts'
import { lockRequest } from '../../core/locks.ts'
import { tamperedProblem } from '../../core/problems/tampered.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { findRequest } from '../people/find-request.ts'
import { namedFilesOf } from '../facts/named-files.ts'
import { viewerOf } from '../people/viewer.ts'
import { byReader } from '../../core/authority.ts'

export interface RequestContent {
  readonly bytes: Buffer
  /** `text/plain` or `application/octet-stream` */
  readonly contentType: string
  /** hash of the bytes, for `x-content-digest` */
  readonly digest: string
}

/**
 * Every byte that the current revision will write or run; with `file`, of a file that its command
 * names, as it was when that was shown. Raw bytes may have secrets that pages mask, so the reading
 * is recorded (security.md 20). Rejects with `not_found`.
 */
export async function requestContent(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string; readonly file?: string },
): Promise<RequestContent> {
  const location = await findRequest(ctx.db, await viewerOf(ctx, caller), input.request)
  return inUnitOfWork(ctx, byReader(caller), async (unit) => {
    const request = await lockRequest(unit.tx, location.id)
    await refuseErased(unit.tx, request.id)
    const revision = await unit.tx
      .selectFrom('request_revision')
      .selectAll()
      .where('request_id', '=', request.id)
      .where('revision', '=', request.revision)
      .executeTakeFirstOrThrow()
    // Bytes whose row was changed by SQL are not what runs, so they are not returned.
    const isVouched = unit.seals.holds('request_revision', revision)
    if (request.state === 'pending' && !isVouched) throw tamperedProblem('revision')
    const { file } = input
    const content =
      file === undefined
        ? { hash: revision.content_hash, contentType: revision.content_type }
        : await storedFile(unit.tx, request, revision.presentation_hash, file)
    await unit.audit({
      type: 'content.revealed',
      ...aboutRequest(request),
      detail: {
        revision: request.revision,
        content: content.hash,
        ...(file === undefined ? {} : { file }),
      },
    })
    const bytes = await getContent(unit.tx, content.hash)
    return { bytes, contentType: content.contentType, digest: content.hash }
  })
}

/** The stored bytes of a file that the command names, as far as the presentation shows it. */
async function storedFile(
  tx: Tx,
  request: Selectable<RequestTable>,
  presentationHash: string,
  path: string,
): Promise<{ readonly hash: string; readonly contentType: string }> {
  const presentation = JSON.parse(await getText(tx, presentationHash)) as Presentation
  const file = namedFilesOf(request, presentation).find((one) => one.path === path)
  if (file === undefined || (file.kind !== 'text' && file.kind !== 'binary')) {
    const why = file === undefined ? 'does not name this file' : 'keeps no copy of that file'
    throw new Problem('not_found', `This request ${why}: ${path.slice(0, 200)}`)
  }
  const contentType = file.kind === 'text' ? 'text/plain' : 'application/octet-stream'
  return { hash: file.hash, contentType }
}
