import { readFirstSteps } from '#services/insights/first-steps.ts'
import type { Insight } from '#services/insights/insight-scope.ts'
import { readAttention, readInsights, type Attention } from '#services/insights/read-insights.ts'
import { readProposals } from '#services/insights/read-proposals.ts'
import type { FoundItems } from '#services/insights/read-attention.ts'
import { answerOf } from '../../views/answer-of.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { maskSecrets } from '#domain/text/secrets.ts'
import { periodOf } from '../../route/period-of.ts'
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
      "The outcomes of the requests that were opened within a period, in groups. They count the requests that the caller may see; with the right readAudit, all. Groups by person count the caller's own decisions; with readAudit, those of everybody",
    access: { by: 'personOrKey', scope: 'requests:read' },
    query: schemas.insightsQuery,
    answers: { 200: { description: 'The busiest first, 200 at most', schema: schemas.insights } },
    answer: async (api, { query, caller }) => {
      const { by } = query
      const found = await readInsights(api.ctx, caller, { by, ...periodOf(query) })
      const items = found.items.map(insightView)
      const times = { from: found.from.toISOString(), to: found.to.toISOString() }
      return { status: 200, body: { ...times, by, items } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/insights/attention',
    name: 'getAttention',
    summary: 'Get requests that need attention',
    description:
      'Of the requests that were opened within a period: their number for each day, approvals that were faster than reading (the caller’s own; with the right readAudit, those of everybody), requests that expired unseen, and calls that were asked for twice',
    access: { by: 'personOrKey', scope: 'requests:read' },
    query: schemas.attentionQuery,
    answers: { 200: { description: 'The newest of each', schema: schemas.attention } },
    answer: async (api, { query, caller }) => {
      const found = await readAttention(api.ctx, caller, periodOf(query))
      return { status: 200, body: attentionView(found) }
    },
  }),
  route({
    method: 'get',
    path: '/v1/insights/proposals',
    name: 'listRuleProposals',
    summary: 'List proposed rules',
    description:
      'Rules that asked at least ten times in 30 days and whose calls were always approved unchanged: for each, the change that pre-approves such calls, the evidence, and the past calls that it would have pre-approved',
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
    description:
      'The first steps with this installation: which of them the caller has taken, and which are left',
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

function attentionView({ fastApprovals, expiredUnseen, askedTwice, ...rest }: Attention) {
  return answerOf({
    ...rest,
    fastApprovals: withMaskedTitles(fastApprovals),
    expiredUnseen: withMaskedTitles(expiredUnseen),
    askedTwice: withMaskedTitles(askedTwice),
  })
}

function withMaskedTitles<Item extends { readonly title: string }>(found: FoundItems<Item>) {
  const items = found.items.map((item) => ({ ...item, title: maskSecrets(item.title, hashBytes) }))
  return { ...found, items }
}
