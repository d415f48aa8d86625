import { z } from 'zod'
import { bundleFormat } from '#evidence/bundle/evidence-bundle.ts'
import { id } from '../common.ts'
import { logSize } from './audit-log.ts'

const note = z.string().meta({ description: 'A signed note (C2SP signed-note)' })

export const evidenceQuery = z.strictObject({
  /** size of a checkpoint that was kept: the bundle proves that the log continues it */
  since: logSize.optional(),
})

/**
 * What there is about one request, to be verified with the log's key alone (audit.md, Verifying).
 */
export const bundle = z
  .object({
    format: z.literal(bundleFormat),
    requestId: id,
    /** the requests whose events are all here: that one, and the others about the same call */
    requestIds: z.array(id),
    checkpoint: note,
    /** the keys of the statements, signed by the log's key */
    keys: note,
    /** how the log's keys took over from each other, the first one first; absent where none did */
    handovers: z.array(note).optional(),
    events: z.array(z.object({ index: z.int(), event: z.string(), proof: z.array(z.base64()) })),
    statements: z.array(
      z.object({
        kind: z.string(),
        statement: z.string(),
        signature: z.string(),
        keyId: z.string(),
      }),
    ),
    /** words of people that events commit to: the salted document of each hash */
    revealed: z.array(z.object({ hash: z.string(), document: z.string() })),
    consistency: z.object({ from: z.int(), proof: z.array(z.base64()) }).optional(),
    /**
     * the newest checkpoint that each witness cosigned, of `from` events, and that `checkpoint`
     * goes on from it
     */
    witnessed: z
      .array(z.object({ from: z.int(), checkpoint: note, proof: z.array(z.base64()) }))
      .optional(),
  })
  .meta({ id: 'EvidenceBundle' })
