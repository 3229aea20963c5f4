/** Which hosts the person has allowed. */

export async function isPermitted(address: string): Promise<boolean> {
  const { protocol, hostname } = new URL(address);
  return await chrome.permissions.contains({ origins: [`${protocol}//${hostname}/*`] });
}
