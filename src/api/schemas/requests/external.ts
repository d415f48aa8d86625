import { z } from 'zod'
import { executionOutcomes } from '#domain/requests/request.ts'
import { claimedTypes } from '#domain/tools/presentation.ts'
import { canonicalJson, hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import { readWebhookUrl } from '#domain/network/webhook-url.ts'
import {
  digestRequired,
  hash,
  id,
  instant,
  json,
  name,
  reason,
  text,
  wholeNumber,
} from '../common.ts'
import { requestState } from './request-parts.ts'
import * as example from '../examples.ts'
import type { OutputOf } from '../output-of.ts'

/** A program's JSON object, with a canonical form for the digest and no NUL characters. */
const ownObject = z
  .record(z.string(), json)
  .refine(hasCanonicalForm, 'has half a surrogate pair, or a number that JSON cannot carry')

function hasCanonicalForm(value: unknown): boolean {
  try {
    canonicalJson(value)
    return true
  } catch {
    return false
  }
}

const metadata = ownObject
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= limits.metadataBytes,
    `is over ${limits.metadataBytes} bytes`,
  )
  .refine((value) => !JSON.stringify(value).includes('\\u0000'), 'has a NUL character')

/** The program's own description of its call, which is shown as a claim beside the arguments. */
const claimedPresentation = z.strictObject({
  type: z.enum(claimedTypes).describe('How `content` is to be shown'),
  content: text(limits.claimCharacters).describe(
    `Text, never markup, of at most ${limits.claimCharacters} characters`,
  ),
  language: name.optional().describe('Language of `content`, for its colours'),
})

/** A file that the call names, as the program reports it. */
const reportedFile = z
  .strictObject({
    path: text(limits.pathBytes).min(1).describe('The path as `input` has it'),
    hash: z
      .union([hash, z.literal('absent')])
      .describe('SHA-256 of the bytes; `absent`: there is no such file'),
    content: text(limits.originFileBytes).optional().describe('The content of a text file'),
  })
  .refine(
    ({ content }) => content === undefined || Buffer.byteLength(content) <= limits.originFileBytes,
    { path: ['content'], error: `is over ${limits.originFileBytes} bytes` },
  )
  .refine(({ content, hash }) => content === undefined || hashBytes(content) === hash, {
    path: ['hash'],
    error: 'is not that of content',
  })

const sum = (files: readonly { readonly content?: string | undefined }[]): number =>
  files.reduce((bytes, { content = '' }) => bytes + Buffer.byteLength(content), 0)

/**
 * Whether the address of a Git remote has no password. `https://TOKEN@host` and
 * `https://name:TOKEN@host` have one, `git@host:path` and `ssh://git@host` have none.
 */
function hasNoPassword(remote: string): boolean {
  const authority = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)@/i.exec(remote)
  if (authority === null) return true
  const [, scheme = '', user = ''] = authority
  return !user.includes(':') && !/^https?$/i.test(scheme)
}

const callbackUrl = text(2000).transform((value, context) => {
  const result = readWebhookUrl(value)
  if ('url' in result) return result.url
  context.addIssue({ code: 'custom', message: `${result.problem}: ${result.remedy}` })
  return z.NEVER
})

/** Where the program makes its call, as it reports it. */
const origin = z
  .strictObject({
    program: text(200).min(1).describe('Name of the program'),
    version: text(100).min(1).optional().describe('Version of the program'),
    host: text(255).min(1).describe('Name of its machine'),
    folder: text(limits.originFolderCharacters)
      .min(1)
      .describe('Absolute path, without symbolic links, of the folder in which the program works'),
    git: z
      .strictObject({
        remote: text(2000)
          .min(1)
          .refine(hasNoPassword, 'has a password in it')
          .nullable()
          .describe('Address without a password; null: none'),
        commit: z
          .string()
          .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be 40 or 64 hex digits')
          .nullable()
          .describe('The commit that is checked out; null: none'),
        dirty: z
          .boolean()
          .nullable()
          .describe('Whether files differ from that commit; null: unknown'),
      })
      .optional()
      .describe('The Git repository of the folder'),
    files: z
      .array(reportedFile)
      .max(limits.originFiles, `are over ${limits.originFiles}`)
      .refine(
        (files) => sum(files) <= limits.originFilesBytes,
        `have over ${limits.originFilesBytes} bytes of content`,
      )
      .refine(
        (files) => new Set(files.map(({ path }) => path)).size === files.length,
        'name a path twice',
      )
      .optional()
      .describe('The files that the call names, each path once'),
    proof: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')
      .optional()
      .describe(
        'HMAC-SHA-256 of `folder` with the bytes of DATA/run/host-proof, 64 lower-case hex digits; with it the service reads the files itself',
      ),
  })
  .meta({ id: 'Origin' })
/** Only `proof` is verified; the rest is what the program claims (product.md 46). */
export type Origin = OutputOf<typeof origin>
export type ReportedFile = OutputOf<typeof reportedFile>

/** The request of a program, which is not a run of this service, for an approval. */
export const externalBody = z
  .strictObject({
    tool: name.describe('Name of the tool, by which rules and routing match'),
    input: ownObject.describe('The arguments of the call, over which the digest is made'),
    worker: name.optional().describe('The worker whose policy judges the call first'),
    title: text(200)
      .min(1)
      .regex(/\S/, 'must not be blank')
      .optional()
      .describe('The call in a few words, shown as a claim'),
    presentation: claimedPresentation
      .optional()
      .describe('The program’s own description of the call, shown as a claim'),
    queue: name.optional().describe('The queue to ask; default: by the routing'),
    onBehalfOf: text(320)
      .min(1)
      .optional()
      .describe(
        'E-mail address or id of the person for whom the program acts; they cannot approve the request',
      ),
    callbackUrl: callbackUrl
      .optional()
      .describe('Address that is called when the request has ended: `https://…`'),
    externalId: text(200)
      .min(1)
      .regex(/\S/, 'must not be blank')
      .describe(
        'The program’s identifier of this request, unique for each owner of keys: a repeated call with it returns the same request',
      ),
    metadata: metadata
      .optional()
      .describe(`Facts for people, at most ${limits.metadataBytes} bytes of JSON`),
    edits: z.literal('off').optional().describe('`off`: nobody may change the call'),
    origin: origin.optional().describe('Where the program works, as it reports'),
  })
  .meta({
    examples: [
      {
        tool: example.tool,
        input: example.input,
        externalId: 'notes-2026-03-02',
        title: 'Write the notes',
      },
    ],
  })

export type ExternalBody = OutputOf<typeof externalBody>

/** The query of a request that can wait for its end. */
export const waitQuery = z.strictObject({
  wait: wholeNumber({
    min: 0,
    max: limits.longPollMs / 1000,
    message: `must be a number of seconds, 0 to ${limits.longPollMs / 1000}`,
  })
    .default(0)
    .describe('Seconds to wait for the end of the request before answering'),
})

/** The digest of the call that the program is about to make. */
export const consumeBody = z
  .strictObject({
    digest: text(200).nullish().describe('Digest of the call that the program will make'),
  })
  .meta({ ...digestRequired, examples: [{ digest: example.digest }] })
export const consumed = z
  .object({
    permit: z
      .object({
        permitId: id,
        requestId: id,
        digest: hash.describe('Digest of the call that it permits, once'),
        expiresAt: instant.describe('Until when the call may start'),
        statement: z
          .string()
          .describe(
            'Canonical JSON. The signature covers `countersign/permit/v1`, a NUL byte, and this text',
          ),
        signature: z.string().describe('Ed25519, base64url'),
        keyId: z.string().describe('Id of the signing key, which `/v1/requests/:id/evidence` has'),
      })
      .describe('The signed right to make the call once'),
  })
  .meta({
    id: 'TakenPermit',
    examples: [
      {
        permit: {
          permitId: example.otherId,
          requestId: example.requestId,
          digest: example.digest,
          expiresAt: '2026-04-01T09:41:12.000Z',
          statement: `{"digest":"${example.digest}","requestId":"${example.requestId}"}`,
          signature: '4kq0c1hY3d5f7g9j',
          keyId: '1f0c3b7a9e24',
        },
      },
    ],
  })
export type ConsumedAnswer = z.infer<typeof consumed>

const outcome = z.enum(executionOutcomes).describe('How the call ended')
export const outcomeBody = z
  .strictObject({
    state: outcome,
    summary: reason.optional().describe('What the program says about it'),
  })
  .meta({ examples: [{ state: 'succeeded', summary: 'Wrote 8 bytes' }] })
export const reported = z
  .object({ requestId: id, state: outcome })
  .meta({ examples: [{ requestId: example.requestId, state: 'succeeded' }] })
export const withdrawn = z
  .object({
    requestId: id,
    state: requestState.extract(['cancelled']).describe('Always `cancelled`'),
    cancelReason: z.literal('withdrawn').describe('Always `withdrawn`'),
  })
  .meta({
    examples: [{ requestId: example.requestId, state: 'cancelled', cancelReason: 'withdrawn' }],
  })
