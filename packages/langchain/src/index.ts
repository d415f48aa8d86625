export {
  answerInterrupts,
  type AnsweredInterrupts,
  type GraphInterrupt,
  type InterruptOptions,
} from './answer-interrupts.ts'
export { countersignMiddleware, type MiddlewareOptions } from './countersign-middleware.ts'
