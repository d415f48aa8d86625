export {
  answerInterrupts,
  type AnsweredInterrupts,
  type GraphInterrupt,
} from './answer-interrupts.ts'
export { countersignMiddleware, type MiddlewareOptions } from './countersign-middleware.ts'
