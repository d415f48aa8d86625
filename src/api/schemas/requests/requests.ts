import { z } from 'zod'
import { requestSorts } from '#domain/requests/request.ts'
import { editsPolicies } from '#domain/policy/verdict.ts'
import { hash, id, instant, json, name, page, person, risk, runRef, text } from '../common.ts'
import { externalDetail } from './external-request.ts'
import { scope } from '../policy/grants.ts'
import * as example from '../examples.ts'
import {
  requestState,
  presentation,
  decisionView,
  batchWithSiblings,
  namedFile,
  commentView,
  erasedContents,
  alike,
} from './request-parts.ts'
import { itemExample, requestItem } from './request-item.ts'

export const requestsQuery = z.strictObject({
  ...page,
  state: requestState.optional(),
  queue: name.optional(),
  risk: risk.optional(),
  tool: name.optional(),
  runId: runRef.optional(),
  /** id of the rule that asked */
  rule: text(1000).optional(),
  /** pending, I may decide it, and have not voted */
  mine: z.enum(['true', 'false']).optional(),
  /** pending, and I have put it off */
  snoozed: z.enum(['true', 'false']).optional(),
  /** opened at this time or later */
  from: instant.optional(),
  /** opened before this time */
  to: instant.optional(),
  /** name of the worker, of a run or of a program; empty: of programs that name none */
  worker: name.or(z.literal('')).optional(),
  /** id of a person who has voted on it */
  decidedBy: id.optional(),
  /** a vote that `decidedBy`, or without it somebody, has given */
  decision: z.enum(['approve', 'deny']).optional(),
  /** how its last execution ended, or a program's report of it */
  effect: z.enum(['succeeded', 'failed']).optional(),
  q: text(200).optional(),
  sort: z.enum(requestSorts).optional(),
})

/** `file`: the path of one of `namedFiles` */
export const contentQuery = z.strictObject({ file: text(1024).min(1).optional() })

const detailMembers = requestItem.extend({
  alike,
  input: json,
  /** of a program's request: as in `external` */
  externalId: z.string().nullable(),
  verdict: z.enum(['ask', 'preApproved']).nullable(),
  metadata: z.record(z.string(), json).nullable(),
  external: externalDetail.nullable(),
  presentation,
  /** of a command: every file it names; the bytes are at `/content?file=PATH` */
  namedFiles: z.array(namedFile),
  batch: batchWithSiblings.nullable(),
  /** `awayUntil`: they say that they are away until then */
  eligiblePeople: z.array(person.extend({ awayUntil: instant.nullable() })),
  /**
   * of each of `allowedScopes`: what an approval with it would cover, exactly, and `covers` in
   * sentences
   */
  scopeCoverage: z.array(
    z.object({
      scope,
      tool: z.string(),
      digest: hash.nullable(),
      path: z.string().nullable(),
      files: z.array(z.object({ path: z.string(), hash: z.string() })),
      covers: z.array(z.string()),
    }),
  ),
  /**
   * wider scopes that one may expect of such a call and that it cannot be approved with, and why
   */
  scopesNotOffered: z.array(z.object({ scope, why: z.string() })),
  decisions: z.array(decisionView),
  previous: z.array(
    z.object({
      requestId: id,
      state: requestState,
      decidedBy: z.string().nullable(),
      reason: z.string().nullable(),
    }),
  ),
  comments: z.array(commentView),
  /** every revision, the first included; `editor` is null for the model's own */
  revisions: z.array(
    z.object({
      revision: z.int(),
      digest: hash,
      title: z.string(),
      editor: person.nullable(),
      reason: z.string().nullable(),
      at: instant,
    }),
  ),
  /** whether the caller may change the call before deciding it (product.md 11) */
  edits: z.enum(editsPolicies),
  /** an approval carries `assertion`, a passkey's signature */
  signatureRequired: z.boolean(),
  /** what the execution is compared with: bases of files, tool definition */
  facts: z.record(z.string(), json),
  /** of an `outcome_check`: the request whose call it asks about */
  outcomeOf: id.nullable(),
  /** its contents were erased: `input`, `presentation` and the rest say so, and this what went */
  erased: erasedContents.nullable(),
  /** absolute path of the workspace; development profile only */
  workspaceRoot: z.string().nullable(),
})

const detailExample: z.infer<typeof detailMembers> = {
  ...itemExample,
  alike: { same: [], similar: [], hidden: 0, again: 0 },
  input: example.input,
  external: null,
  externalId: null,
  verdict: null,
  metadata: null,
  presentation: {
    type: 'file_content',
    language: 'markdown',
    content: example.input.content,
    truncated: false,
    totalLines: 1,
    totalBytes: 8,
    metadata: { path: example.path },
    warnings: [],
    digest: example.otherDigest,
  },
  namedFiles: [],
  batch: { position: 1, size: 1, finished: false, siblings: [] },
  eligiblePeople: [{ ...example.grace, awayUntil: null }],
  scopeCoverage: [],
  scopesNotOffered: [],
  decisions: [],
  previous: [],
  comments: [],
  revisions: [
    {
      revision: 1,
      digest: example.digest,
      title: example.title,
      editor: null,
      reason: null,
      at: example.askedAt,
    },
  ],
  edits: 'revise',
  signatureRequired: false,
  facts: {},
  outcomeOf: null,
  erased: null,
  workspaceRoot: null,
}

export const requestDetail = detailMembers.meta({ id: 'Request', examples: [detailExample] })
export type RequestDetail = z.infer<typeof requestDetail>
