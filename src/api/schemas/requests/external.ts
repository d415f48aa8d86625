import { z } from 'zod'
import { executionOutcomes } from '#domain/requests/request.ts'
import { claimedTypes } from '#domain/tools/presentation.ts'
import { canonicalJson, hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import { readWebhookUrl } from '#domain/text/webhook-url.ts'
import { hash, id, instant, json, name, reason, text, wholeNumber } from '../common.ts'
import { requestState } from './request-parts.ts'
import * as example from '../examples.ts'

/**
 * An object of a program's own. What has no canonical form has no digest; the store holds no NUL.
 */
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

/** How the program itself describes its call: shown as its claim, beside what the service built. */
const claimedPresentation = z.strictObject({
  type: z.enum(claimedTypes),
  content: text(limits.claimCharacters),
  language: name.optional(),
})

/** A file that the call names, as the program found it. */
const reportedFile = z
  .strictObject({
    /** as in `input` */
    path: text(limits.pathBytes).min(1),
    /** of its bytes; `absent`: there is none */
    hash: z.union([hash, z.literal('absent')]),
    /** of a text file */
    content: text(limits.originFileBytes).optional(),
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
 * `https://TOKEN@host` and `https://name:TOKEN@host`, but not `git@host:path` or `ssh://git@host`.
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

/** Where the program makes its call, as it reports it: shown as reported. */
const origin = z
  .strictObject({
    program: text(200).min(1),
    version: text(100).min(1).optional(),
    host: text(255).min(1),
    /** real path of the folder in which it works */
    folder: text(limits.originFolderCharacters).min(1),
    git: z
      .strictObject({
        remote: text(2000).min(1).refine(hasNoPassword, 'has a password in it').nullable(),
        commit: z
          .string()
          .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be 40 or 64 hex digits')
          .nullable(),
        dirty: z.boolean().nullable(),
      })
      .optional(),
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
      .optional(),
    /** HMAC-SHA-256 of `folder` with the bytes of DATA/run/host-proof, 64 lower-case hex digits */
    proof: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')
      .optional(),
  })
  .meta({ id: 'Origin' })

/** A program that is not a run of ours asks for an approval. */
export const externalBody = z
  .strictObject({
    tool: name,
    input: ownObject,
    /** whose policy judges first */
    worker: name.optional(),
    title: text(200).min(1).optional(),
    presentation: claimedPresentation.optional(),
    queue: name.optional(),
    /** e-mail address or id of the person for whom the program acts: behind the request too */
    onBehalfOf: text(320).min(1).optional(),
    /** where the program is told once it is decided or closed: `https://…` */
    callbackUrl: callbackUrl.optional(),
    /**
     * the program's name for this request, unique for each key owner: opening it again returns the
     * same request
     */
    externalId: text(200).min(1),
    metadata: metadata.optional(),
    /** the program can make this very call only: nobody may change it */
    edits: z.literal('off').optional(),
    /** where it works, as it reports it */
    origin: origin.optional(),
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

/** `wait`: seconds to hold the answer while the request is pending. */
export const waitQuery = z.strictObject({
  wait: wholeNumber({
    least: 0,
    most: limits.longPollMs / 1000,
    message: `must be a number of seconds, 0 to ${limits.longPollMs / 1000}`,
  }).default(0),
})

/** The digest of what is about to be done. */
export const consumeBody = z
  .strictObject({ digest: text(200).nullish() })
  .meta({ examples: [{ digest: example.digest }] })
export const consumed = z
  .object({
    permit: z.object({
      permitId: id,
      requestId: id,
      digest: hash,
      expiresAt: instant,
      /** canonical JSON; signed are the bytes `countersign/permit/v1`, NUL, and this */
      statement: z.string(),
      /** Ed25519, base64url */
      signature: z.string(),
      keyId: z.string(),
    }),
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

const outcome = z.enum(executionOutcomes)
export const outcomeBody = z
  .strictObject({ state: outcome, summary: reason.optional() })
  .meta({ examples: [{ state: 'succeeded', summary: 'Wrote 8 bytes' }] })
export const reported = z
  .object({ requestId: id, state: outcome })
  .meta({ examples: [{ requestId: example.requestId, state: 'succeeded' }] })
export const withdrawn = z
  .object({
    requestId: id,
    state: requestState.extract(['cancelled']),
    cancelReason: z.literal('withdrawn'),
  })
  .meta({
    examples: [{ requestId: example.requestId, state: 'cancelled', cancelReason: 'withdrawn' }],
  })
