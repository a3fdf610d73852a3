/** Formats a time as `YYYY-MM-DDThh:mmZ`, the notation of SLB and ECS. */
export const minute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`;
/** Formats a time as `YYYY-MM-DDThh:mm:ssZ`, the notation of VPC and STS. */
export const second = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
