/** What a page is to one question. Above PAGE_OUTSIDE it may be answered with. */

export const PAGE_ABSENT = 0;
export const PAGE_OUTSIDE = 1;
export const PAGE_SERVING = 2;
export const PAGE_RETIRED = 3;
