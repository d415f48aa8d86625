/**
 * The standard's `AsyncDisposableStack` for Node 22, which has the symbols but not the class: it
 * disposes in reverse order, continues after failures, and throws them.
 */
class Stack implements AsyncDisposableStack {
  readonly [Symbol.toStringTag] = 'AsyncDisposableStack'
  #waiting: (() => unknown)[] = []
  #disposed = false

  get disposed(): boolean {
    return this.#disposed
  }

  use<T extends AsyncDisposable | Disposable | null | undefined>(value: T): T {
    if (value !== null && value !== undefined) {
      const dispose = Symbol.asyncDispose in value ? value[Symbol.asyncDispose] : undefined
      const own = dispose ?? (value as Disposable)[Symbol.dispose]
      if (typeof own !== 'function') throw new TypeError('The value cannot be disposed')
      this.defer(() => own.call(value))
    }
    return value
  }

  adopt<T>(value: T, onDispose: (value: T) => PromiseLike<void> | void): T {
    this.defer(() => onDispose(value))
    return value
  }

  defer(onDispose: () => PromiseLike<void> | void): void {
    this.#assertOpen()
    this.#waiting.push(onDispose)
  }

  move(): AsyncDisposableStack {
    this.#assertOpen()
    const moved = new Stack()
    moved.#waiting = this.#waiting
    this.#waiting = []
    this.#disposed = true
    return moved
  }

  async disposeAsync(): Promise<void> {
    this.#disposed = true
    const failures: unknown[] = []
    for (const dispose of this.#waiting.splice(0).toReversed()) {
      try {
        await dispose()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length === 1) throw failures[0]
    if (failures.length > 1)
      throw new AggregateError(failures, 'Several resources could not be disposed')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync()
  }

  #assertOpen(): void {
    if (this.#disposed) throw new ReferenceError('The stack is disposed')
  }
}

globalThis.AsyncDisposableStack ??= Stack
