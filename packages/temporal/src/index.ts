export {
  createCountersignActivities,
  type ActivityOptions,
  type CountersignActivities,
  type WorkflowCall,
} from './activities.ts'
export { handleCallback, type SignallingClient } from './handle-callback.ts'
