export { resolveInterruptions, type InterruptionOptions } from './resolve-interruptions.ts'
