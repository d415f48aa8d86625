import { readFirstSteps } from '#services/insights/first-steps.ts'
import type { Insight } from '#services/insights/insight-scope.ts'
import { readAttention, readInsights, type Attention } from '#services/insights/read-insights.ts'
import { readProposals } from '#services/insights/read-proposals.ts'
import type { Found } from '#services/insights/read-attention.ts'
import { answerOf } from '../../views/answer-of.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { maskSecrets } from '#domain/text/secrets.ts'
import { route } from '../../route/route.ts'
import * as schemas from '../../schemas/requests/insights.ts'

/** What became of requests, in figures, and what could be asked less. */
export const insightRoutes = [
  route({
    method: 'get',
    path: '/v1/insights',
    name: 'getInsights',
    summary: 'Get insights',
    description:
      "What became of the requests that were opened within a time, in groups. Counts what the caller may see, with the right readAudit all there is; by person one's own decisions, with readAudit everybody's",
    access: { by: 'personOrKey', scope: 'requests:read' },
    query: schemas.insightsQuery,
    answers: { 200: { description: 'The busiest first, 200 at most', schema: schemas.insights } },
    answer: async (api, { query, caller }) => {
      const { by } = query
      const found = await readInsights(api.ctx, caller, { by, ...timeOf(query) })
      const items = found.items.map(insightView)
      const times = { from: found.from.toISOString(), to: found.to.toISOString() }
      return { status: 200, body: { ...times, by, items } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/insights/attention',
    name: 'getAttention',
    summary: 'Get what deserves a look',
    description:
      'Of the requests that were opened within a time: how many each day, approvals faster than reading (one’s own, with the right readAudit everybody’s), what expired unseen, and what was asked for twice',
    access: { by: 'personOrKey', scope: 'requests:read' },
    query: schemas.attentionQuery,
    answers: { 200: { description: 'The newest of each', schema: schemas.attention } },
    answer: async (api, { query, caller }) => {
      const found = await readAttention(api.ctx, caller, timeOf(query))
      return { status: 200, body: attentionView(found) }
    },
  }),
  route({
    method: 'get',
    path: '/v1/insights/proposals',
    name: 'listRuleProposals',
    summary: 'List proposed rules',
    description:
      'Rules that asked at least ten times in 30 days and were always approved as they were: for each the change that pre-approves it, the evidence, and what it would have let through',
    access: { by: 'personOrKey', scope: 'requests:read' },
    answers: { 200: { description: 'Five at most', schema: schemas.ruleProposals } },
    answer: async (api, { caller }) => ({
      status: 200,
      body: { items: await readProposals(api.ctx, caller) },
    }),
  }),
  route({
    method: 'get',
    path: '/v1/me/first-steps',
    name: 'listFirstSteps',
    summary: 'List first steps',
    description: 'What the caller did first with this installation, and what is left to do',
    access: { by: 'person' },
    answers: { 200: { description: 'In order', schema: schemas.firstStepList } },
    answer: async (api, { caller }) => ({
      status: 200,
      body: { items: await readFirstSteps(api.ctx, caller) },
    }),
  }),
]

function insightView({ oldestAt, ...insight }: Insight): schemas.InsightView {
  return { ...insight, oldestAt: oldestAt?.toISOString() ?? null }
}

function timeOf({
  from,
  to,
}: {
  readonly from?: string | undefined
  readonly to?: string | undefined
}) {
  return {
    ...(from === undefined ? {} : { from: new Date(from) }),
    ...(to === undefined ? {} : { to: new Date(to) }),
  }
}

function attentionView({ fastApprovals, expiredUnseen, askedTwice, ...rest }: Attention) {
  return answerOf({
    ...rest,
    fastApprovals: withMaskedTitles(fastApprovals),
    expiredUnseen: withMaskedTitles(expiredUnseen),
    askedTwice: withMaskedTitles(askedTwice),
  })
}

function withMaskedTitles<Item extends { readonly title: string }>(found: Found<Item>) {
  const items = found.items.map((item) => ({ ...item, title: maskSecrets(item.title, hashBytes) }))
  return { ...found, items }
}
