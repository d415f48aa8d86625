export { countersignMiddleware, type MiddlewareOptions } from './countersign-middleware.ts'
