/** Works on each item, on at most `slots` of them at once. Rejects with the first failure. */
export async function inSlots<Item>(
  items: readonly Item[],
  slots: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const remaining = items.values()
  const workOnNext = async (): Promise<void> => {
    for (const item of remaining) await work(item)
  }
  await Promise.all(Array.from({ length: slots }, workOnNext))
}
