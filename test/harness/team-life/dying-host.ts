/**
 * Whether and how the host of the workspace dies in the middle of the next call that it carries
 * out.
 */
export class DyingHost {
  #next: 'for good' | 'for a while' | null = null
  #died = Promise.withResolvers<void>()
  #back = Promise.withResolvers<void>()

  /**
   * `for a while`: it only seems dead, and finishes its call when nobody waits for the call any
   * more.
   */
  dieInNextCall(how: 'for good' | 'for a while'): void {
    this.#next = how
    this.#died = Promise.withResolvers()
    this.#back = Promise.withResolvers()
  }

  /** Runs between the row that says `started` and the effect. */
  async beforeExecute(): Promise<void> {
    if (this.#next === null) return
    const isBack = this.#next === 'for a while' ? this.#back.promise : new Promise<void>(() => {})
    this.#next = null
    this.#died.resolve()
    await isBack
  }

  /** Answers a call, or rejects when its host died meanwhile. */
  async unlessDead<T>(call: Promise<T>): Promise<T> {
    const died = this.#died.promise.then(() => {
      throw new Error('activity Heartbeat timeout')
    })
    return Promise.race([call, died])
  }

  /** The host that was considered dead continues, or another one takes its place. */
  comeBack(): void {
    this.#died = Promise.withResolvers()
    this.#back.resolve()
  }
}
