import { z } from 'zod'
import { id, instant, wholeNumber } from '../common.ts'

const vkey = z.string().meta({ description: 'The log’s public key, `name+hash+base64`' })
const checkpoint = z
  .string()
  .meta({ description: 'A signed note: origin, size and root of the log’s tree (C2SP)' })

/** The newest checkpoint, and the key it is verified with (audit.md, Verifying). */
export const signedCheckpoint = z
  .object({
    checkpoint,
    vkey,
    /** how many events it covers */
    size: z.int(),
    /** when it was stored */
    at: instant,
    /**
     * that the log goes on from `since` events, each hash in base64 (RFC 9162 2.1.4); empty when it
     * is not longer
     */
    consistency: z.array(z.base64()).optional(),
    /** how the log's keys took over from each other: signed notes, the first one first */
    handovers: z.array(z.string()),
    /** how far each witness of the configuration is */
    witnesses: z.array(
      z.object({
        name: z.string(),
        /** how many events the largest checkpoint covers that it cosigned; 0: none */
        size: z.int(),
        /** when it did, by its own clock */
        cosignedAt: instant.nullable(),
        /** it has another history of the log than this one */
        contradicted: z.boolean(),
      }),
    ),
    /** the largest checkpoint that a witness cosigned, with its signature; absent: there is none */
    witnessed: checkpoint.optional(),
  })
  .meta({ id: 'SignedCheckpoint' })
export type SignedCheckpointView = z.infer<typeof signedCheckpoint>

/** The size of a checkpoint, in a query. */
export const logSize = wholeNumber({
  least: 0,
  most: Number.MAX_SAFE_INTEGER,
  message: 'must be the size of a checkpoint',
})

/** `since`: the size of a checkpoint that the caller holds. */
export const checkpointQuery = z.strictObject({
  since: logSize.optional(),
})

/** What an approver keeps: that the log has each event of the request. */
export const receipt = z
  .object({
    requestId: id,
    checkpoint,
    vkey,
    events: z.array(
      z.object({
        /** the leaf of the log */
        index: z.int(),
        /** the event's exact bytes; the leaf is `SHA-256(0x00 || bytes)` */
        event: z.string(),
        /** the path to the root, lowest first, each in base64 */
        proof: z.array(z.base64()),
      }),
    ),
    /** events that the checkpoint does not cover yet; one within two seconds does */
    waiting: z.int(),
  })
  .meta({ id: 'Receipt' })

/** Parts of the path behind `tile/` (C2SP tlog-tiles). */
export const tileParams = z.object({ path: z.array(z.string()) })
