import { judgedCall } from '../harness/fixtures/judged-call.ts'
import type { TestService } from '../harness/fixtures/test-service.ts'

/** From now on the host of the workspace answers that every call asks, and presents `shown`. */
export function answerAsk(service: TestService): void {
  service.answerJudging((question) => judgedCall(service, question, {}, 'edited\n'))
}

/** From now on that host answers that no call needs an approval. */
export function answerPreApproved(service: TestService): void {
  const rule = { id: 'tool:deploy', text: 'tool deploy', source: null }
  service.answerJudging(async (question) => ({
    ...(await judgedCall(service, question, { verdict: 'preApproved', rule, reason: rule.text })),
    presented: null,
  }))
}
