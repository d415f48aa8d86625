/** Model turns have slots of their own, so that slow models do not starve executions. */
export function turnQueueOf(taskQueue: string): string {
  return `${taskQueue}-turns`
}
