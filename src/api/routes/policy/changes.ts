import {
  listPolicyChanges,
  proposePolicyChange,
  withdrawPolicyChange,
} from '#services/insights/policy-changes.ts'
import { route } from '../../route/route.ts'
import * as schemas from '../../schemas/policy/changes.ts'
import { withdrawn } from '../../schemas/common.ts'
import { answerOf } from '../../views/answer-of.ts'

/** Changes of rules that people propose to those who may activate policy. They permit nothing. */
export const policyChangeRoutes = [
  route({
    method: 'get',
    path: '/v1/policy/changes',
    name: 'listPolicyChanges',
    summary: 'List proposed changes',
    description:
      'The open proposals to pre-approve a rule, each as a patch of the version in force: all with the right activatePolicy or readAudit, otherwise your own',
    access: { by: 'person' },
    answers: { 200: { description: 'Newest first', schema: schemas.policyChanges } },
    answer: async (api, { caller }) => ({
      status: 200,
      body: { items: answerOf(await listPolicyChanges(api.ctx, caller)) },
    }),
  }),
  route({
    method: 'post',
    path: '/v1/policy/changes',
    name: 'proposePolicyChange',
    summary: 'Propose a change',
    description:
      'Propose that a rule whose calls were always approved is pre-approved. The proposal changes nothing by itself: a person who may activate policy applies its patch in the project folder and activates that version',
    access: { by: 'person' },
    body: schemas.proposeChangeBody,
    answers: { 201: { description: 'Proposed', schema: schemas.policyChange } },
    problems: ['not_found', 'conflict'],
    answer: async (api, { body, caller }) => {
      const change = await proposePolicyChange(api.ctx, caller, body.proposal)
      return { status: 201, body: answerOf(change) }
    },
  }),
  route({
    method: 'delete',
    path: '/v1/policy/changes/:number',
    name: 'withdrawPolicyChange',
    summary: 'Withdraw a proposed change',
    description: 'Withdraw your own proposed change, or decline any with the right activatePolicy',
    access: { by: 'person' },
    params: schemas.changeParams,
    answers: { 200: { description: 'It was withdrawn', schema: withdrawn } },
    problems: ['not_found'],
    answer: async (api, { params, caller }) => {
      await withdrawPolicyChange(api.ctx, caller, params.number)
      return { status: 200, body: { withdrawn: true } }
    },
  }),
]
