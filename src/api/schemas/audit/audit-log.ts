import { z } from 'zod'
import { id, instant, wholeNumber } from '../common.ts'

const vkey = z.string().meta({ description: 'The log’s public key, `name+hash+base64`' })
const checkpoint = z
  .string()
  .meta({ description: 'A signed note: origin, size and root of the log’s tree (C2SP)' })

/** The newest checkpoint and the key that verifies it (audit.md, Verifying). */
export const signedCheckpoint = z
  .object({
    checkpoint,
    vkey,
    size: z.int().describe('The number of events that it covers'),
    at: instant.describe('When it was stored'),
    consistency: z
      .array(z.base64())
      .optional()
      .describe(
        'The proof that the log continues `since` events: hashes in base64 (RFC 9162 2.1.4); empty if the log has not grown',
      ),
    handovers: z
      .array(z.string())
      .describe('The notes with which each key of the log handed over to the next, oldest first'),
    witnesses: z
      .array(
        z.object({
          name: z.string().describe('Name of the witness, from countersign.yaml'),
          size: z.int().describe('Size of the largest checkpoint that it cosigned; 0: none'),
          cosignedAt: instant.nullable().describe('When it cosigned, by its own clock'),
          contradicted: z.boolean().describe('Whether it has a different history of the log'),
        }),
      )
      .describe('The state of each configured witness'),
    witnessed: checkpoint
      .optional()
      .describe(
        'The largest checkpoint that a witness cosigned, with its signature; absent: there is none',
      ),
  })
  .meta({ id: 'SignedCheckpoint' })
export type SignedCheckpointView = z.infer<typeof signedCheckpoint>

/** The size of a checkpoint in a query. */
export const logSize = wholeNumber({
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  message: 'must be the size of a checkpoint',
})

export const checkpointQuery = z.strictObject({
  since: logSize.optional().describe('The size of a checkpoint that the caller has'),
})

/** The proof for an approver to keep that the log has each event of a request. */
export const receipt = z
  .object({
    requestId: id,
    checkpoint,
    vkey,
    events: z
      .array(
        z.object({
          index: z.int().describe('Index of the leaf in the log'),
          event: z
            .string()
            .describe(
              'The exact bytes of the event; the hash of the leaf is `SHA-256(0x00 || bytes)`',
            ),
          proof: z.array(z.base64()).describe('The inclusion proof, lowest hash first, in base64'),
        }),
      )
      .describe('The events of the request that the checkpoint covers, oldest first'),
    waiting: z
      .int()
      .describe(
        'The number of events that the checkpoint does not cover yet; they are covered within about two seconds',
      ),
  })
  .meta({ id: 'Receipt' })

/** The segments of the path after `tile/` (C2SP tlog-tiles). */
export const tileParams = z.object({
  path: z.array(z.string()).describe('Level and position of the tile, such as `0/x001/067`'),
})
