import { readFirstSteps } from '#services/insights/first-steps.ts'
import { readAttention, readInsights, type Attention } from '#services/insights/read-insights.ts'
import { readUsage } from '#services/insights/read-usage.ts'
import { readProposals } from '#services/insights/read-proposals.ts'
import type { CountedItems } from '#services/insights/read-attention.ts'
import { answerOf } from '../../views/answer-of.ts'
import { maskSecrets } from '#domain/text/mask-secrets.ts'
import { periodOf } from '../../route/period-of.ts'
import { route } from '../../route/route.ts'
import { attention, attentionQuery } from '../../schemas/requests/attention.ts'
import * as schemas from '../../schemas/requests/insights.ts'

/** The outcomes of requests in figures, and rules that could ask less. */
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
      const figures = await readInsights(api.ctx, caller, { by, ...periodOf(query) })
      return { status: 200, body: answerOf({ ...figures, by }) }
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
    query: attentionQuery,
    answers: { 200: { description: 'The newest of each', schema: attention } },
    answer: async (api, { query, caller }) => {
      const figures = await readAttention(api.ctx, caller, periodOf(query))
      return { status: 200, body: attentionView(figures) }
    },
  }),
  route({
    method: 'get',
    path: '/v1/insights/usage',
    name: 'getUsage',
    summary: 'Get the usage of models',
    description:
      'Tokens and cost of the model steps that began within a period, by worker or by the person who started the run. Counts the runs that the caller may see; with the right readAudit, all',
    access: { by: 'personOrKey', scope: 'runs:read' },
    query: schemas.usageQuery,
    answers: {
      200: { description: 'The most expensive first, 200 at most', schema: schemas.usage },
    },
    answer: async (api, { query, caller }) => {
      const { by } = query
      const figures = await readUsage(api.ctx, caller, { by, ...periodOf(query) })
      return { status: 200, body: answerOf({ ...figures, by }) }
    },
  }),
  route({
    method: 'get',
    path: '/v1/insights/proposals',
    name: 'listRuleProposals',
    summary: 'List proposed rules',
    description:
      'Rules that required an approval at least ten times in 30 days and whose calls were always approved unchanged: for each, a change that pre-approves such calls, the evidence for it, and the past calls that it would have pre-approved',
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
    description: 'The first steps with this installation, and which of them the caller has taken',
    access: { by: 'person' },
    answers: { 200: { description: 'In order', schema: schemas.firstStepList } },
    answer: async (api, { caller }) => ({
      status: 200,
      body: { items: await readFirstSteps(api.ctx, caller) },
    }),
  }),
]

function attentionView({ fastApprovals, expiredUnseen, askedTwice, ...rest }: Attention) {
  return answerOf({
    ...rest,
    fastApprovals: withMaskedTitles(fastApprovals),
    expiredUnseen: withMaskedTitles(expiredUnseen),
    askedTwice: withMaskedTitles(askedTwice),
  })
}

function withMaskedTitles<Item extends { readonly title: string }>(section: CountedItems<Item>) {
  const items = section.items.map((item) => ({
    ...item,
    title: maskSecrets(item.title),
  }))
  return { ...section, items }
}
