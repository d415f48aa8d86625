/** Functions that are called when something has changed. */
export interface Listeners {
  /** Adds a listener. Returns a function that removes it. */
  subscribe(listener: () => void): () => void
  notify(): void
}

export function newListeners(): Listeners {
  const listeners = new Set<() => void>()
  return {
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify: () => {
      for (const listener of listeners) listener()
    },
  }
}
