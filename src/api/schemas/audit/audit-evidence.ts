import { z } from 'zod'
import { bundleFormat } from '#evidence/bundle/evidence-bundle.ts'
import { id } from '../common.ts'
import { logSize } from './audit-log.ts'

const proof = z.array(z.base64()).describe('Hashes of the tree, in base64')
const note = z.string().meta({ description: 'A signed note (C2SP signed-note)' })

export const evidenceQuery = z.strictObject({
  since: logSize
    .optional()
    .describe('Size of an earlier checkpoint; the bundle proves that the log continues it'),
})

/** All that verifies one request with the key of the log (audit.md, Verifying). */
export const bundle = z
  .object({
    format: z.literal(bundleFormat).describe('Name and version of this format'),
    requestId: id,
    requestIds: z
      .array(id)
      .describe(
        'Ids of the requests whose events are in the bundle: the request itself and others about the same call',
      ),
    checkpoint: note,
    keys: note.describe('The keys that verify the statements, signed by the key of the log'),
    handovers: z
      .array(note)
      .optional()
      .describe(
        'The notes with which each key of the log handed over to the next, oldest first; absent: there were none',
      ),
    events: z
      .array(
        z.object({
          index: z.int().describe('Index of the leaf in the log'),
          event: z.string().describe('The exact bytes of the event'),
          proof: z.array(z.base64()).describe('The inclusion proof, lowest hash first'),
        }),
      )
      .describe('Every event of the requests, with the proof that the log has it'),
    statements: z
      .array(
        z.object({
          kind: z.string().describe('What is signed, such as `permit`'),
          statement: z.string().describe('The signed bytes, as canonical JSON'),
          signature: z.string().describe('Ed25519, in base64'),
          keyId: z.string().describe('Id of the key, which `keys` contains'),
        }),
      )
      .describe('What the service signed for the requests, such as permits'),
    revealed: z
      .array(
        z.object({
          hash: z.string().describe('The hash that the event has'),
          document: z.string().describe('Canonical JSON of the text and its salt'),
        }),
      )
      .describe('Texts of people to which events commit: the salted document of each hash'),
    consistency: z
      .object({
        from: z.int().describe('Size of the earlier checkpoint'),
        proof: z.array(z.base64()).describe('RFC 9162 2.1.4'),
      })
      .optional()
      .describe('The proof that the log continues `since`; absent: it was not asked for'),
    witnessed: z
      .array(
        z.object({
          from: z.int().describe('Size of the checkpoint that the witness cosigned'),
          checkpoint: note,
          proof,
        }),
      )
      .optional()
      .describe(
        'The newest checkpoint that each witness cosigned, and the proof that `checkpoint` continues it',
      ),
  })
  .meta({ id: 'EvidenceBundle' })
