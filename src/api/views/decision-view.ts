import type { BulkAnswer as BulkRecord } from '../../services/decisions/decide-many.ts'
import type { DecisionAnswer as DecisionRecord } from '../../services/decisions/decide-request.ts'
import type { StageRecord } from '../../services/decisions/wait-for-stage.ts'
import type { BulkAnswer, DecisionAnswer } from '../schemas/requests/decisions.ts'
import { executionView, quorumView } from './request-parts.ts'

/** A decision as it was recorded, and how far it has come when somebody waited. */
export function decisionAnswerView(
  decided: DecisionRecord,
  reached: StageRecord | null,
): DecisionAnswer {
  return {
    requestId: decided.requestId,
    decisionId: decided.decisionId,
    state: decided.state,
    stage: reached?.stage ?? decided.stage,
    quorum: quorumView(decided.quorum),
    execution: executionView(reached?.execution ?? decided.execution),
  }
}

/** Facts of a refusal stand beside its code, as in a problem document. */
export function bulkAnswerView(answer: BulkRecord): BulkAnswer {
  return {
    batchDecisionId: answer.batchDecisionId,
    items: answer.items.map(({ facts, ...item }) => ({ ...facts, ...item })),
  }
}
